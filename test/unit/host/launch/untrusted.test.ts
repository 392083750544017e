import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import { english } from '../../../../src/base/phrase';
import { type ConfiguredServers, resolveDefinitions } from '../../../../src/host';
import { findProgram, launchEnvironment } from '../../../../src/host/launch/environment';
import { partInWorkspace } from '../../../../src/host/launch/untrusted';
import { type PathRules, WorkspaceMention } from '../../../../src/host/launch/workspaceMention';
import { parseEnvFile } from '../../../../src/host/settings';
import { freely } from '../../../setup/freely';
import { temporaryFolder } from '../../../setup/paths';
import { hostile, TestHost } from '../testHost';

describe('a workspace that is not trusted has no part in a launch', () => {
  let home: string;
  let clone: string;
  beforeEach(() => {
    home = temporaryFolder();
    clone = join(home, 'clone');
    mkdirSync(join(clone, 'sub'), { recursive: true });
    writeFileSync(join(clone, 'evil.js'), '');
  });

  const configured = (entry: object, more: Partial<ConfiguredServers> = {}): ConfiguredServers => ({
    source: { scope: 'user' },
    value: { one: entry },
    isTrusted: false,
    variables: {
      workspaceFolder: clone,
      workspaceFolders: [['clone', clone]],
      userHome: home,
      env: name => ({ WHERE: clone })[name],
      config: () => 'a value',
    },
    ...more,
  });

  function part(entry: object, envFile?: string, more: Partial<ConfiguredServers> = {}): string | undefined {
    const [definition] = resolveDefinitions([configured(entry, more)]).definitions;
    assert.ok(definition?.entry, JSON.stringify(definition?.problems));
    const { entry: own } = definition;
    const whole = own.type === 'stdio' && envFile ? { ...own, env: { ...parseEnvFile(envFile), ...own.env } } : own;
    const reason = partInWorkspace(definition, whole, [clone], { home });
    return reason && english(reason);
  }

  const program = (more: object) => ({ command: 'node', ...more });

  it('by a variable that stands for it, wherever it is used @untrusted.variable-stands-wherever', () => {
    const uses = (variable: string) =>
      new RegExp(
        `^it uses ${variable.replace(/[${}]/g, '\\$&')}, which depends on this workspace, which is not trusted$`,
      );
    for (const variable of ['${workspaceFolder}', '${workspaceFolder:clone}', '${config:a.setting}'])
      for (const entry of [
        { command: `${variable}/run` },
        program({ args: [`${variable}/x.js`] }),
        program({ cwd: `${variable}/..` }),
        program({ envFile: `${variable}/.env` }),
        program({ env: { DATA: variable } }),
        { url: 'https://example.com/mcp', headers: { 'X-Where': variable } },
        { url: `unix:///${variable}/server.sock` },
      ])
        assert.match(part(entry) ?? 'nothing', uses(variable), JSON.stringify(entry));
    assert.equal(part(program({ args: ['$${workspaceFolder}'] })), undefined);
    assert.equal(part(program({ roots: ['${workspaceFolder}'] })), undefined, 'roots are no part of a launch');
  });

  const asText: Record<string, (clone: string) => object> = {
    'its program': path => ({ command: join(path, 'run') }),
    'its folder': path => program({ cwd: path }),
    'an argument': path => program({ args: [join(path, 'evil.js')] }),
    'an option with its value': path => program({ args: [`--require=${path}/evil.js`] }),
    'an option of one letter': path => program({ args: [`-r${path}/evil.js`] }),
    'uv --directory': path => ({ command: 'uv', args: ['--directory', path, 'run', 'x'] }),
    'npm --prefix': path => ({ command: 'npm', args: ['--prefix', path, 'start'] }),
    'a script for a shell': path => ({ command: 'sh', args: ['-c', `cd ${path}&&node x`] }),
    'JSON in an argument': path => program({ args: [JSON.stringify({ config: { path } })] }),
    PYTHONPATH: path => program({ env: { PYTHONPATH: `/usr/lib/python:${path}` } }),
    PATH: path => program({ env: { PATH: `${path}/node_modules/.bin:/usr/bin` } }),
    NODE_OPTIONS: path => program({ env: { NODE_OPTIONS: `--require ${path}/evil.js` } }),
    'a variable of the editor': () => program({ args: ['${env:WHERE}/x'] }),
    envFile: path => program({ envFile: join(path, '.env') }),
    'a file: URL': path => program({ args: [`--import=${pathToFileURL(join(path, 'evil.js'))}`] }),
    'percent signs': path => program({ args: [`file://${path.replace('clone', '%63lone')}/evil.js`] }),
    'a socket': path => ({ url: `unix://${path}/server.sock#/mcp` }),
    'a socket with percent signs': path => ({ url: `unix://${path.replace('clone', 'cl%6fne')}/server.sock` }),
    'dots and slashes': path => program({ args: [path.replace('/clone', '//./x/../clone/./sub')] }),
    'a path relative to where it runs': () => program({ args: ['clone/evil.js'] }),
    'an option with such a path': () => program({ args: ['--prefix=./clone'] }),
    'a list with such a path': () => program({ env: { PYTHONPATH: 'lib:clone/lib' } }),
    'its folder, relative to the home folder': () => program({ cwd: 'clone/sub' }),
    'its program, relative': () => ({ command: './clone/run' }),
    'its envFile, relative': () => program({ envFile: 'clone/.env' }),
    'the home folder as shells write it': () => ({ command: 'sh', args: ['-c', 'node ~/clone/evil.js $HOME'] }),
    'another variable of it': () => ({ command: 'sh', args: ['-c', 'node "$HOME/clone/evil.js"'] }),
    'a path relative to a folder that it goes to': path => ({
      command: 'uv',
      args: ['--directory', join(path, '..', '..'), 'run', `${basename(join(path, '..'))}/clone/x.py`],
    }),
    'a path behind cd': path => ({
      command: 'sh',
      args: ['-c', `cd ${join(path, '..', '..')}; node ${basename(join(path, '..'))}/clone/x`],
    }),
    'a variable of its own': path => ({
      command: 'sh',
      args: ['-c', 'node "$UP/clone/evil.js"'],
      env: { UP: join(path, '..') },
    }),
    'a path with an escaped sign in it': path => ({
      command: 'script',
      args: ['-c', `node ${path.replace('untrusted', 'un\\trusted')}/x`],
    }),
    'a path with quotes in it': path => ({
      command: 'sh',
      args: ['-c', `node ${path.replace('untrusted', 'un"trust"ed')}/x`],
    }),
    'a module of Python': path => ({ command: 'env', args: ['python3', '-um', 'clone.server'], cwd: join(path, '..') }),
    'settings of an interpreter': path => ({ command: 'tsx', args: ['--tsconfig', `${path}/tsconfig.json`, '/x.ts'] }),
    'the folder of a project': () => ({ command: 'poetry', args: ['--directory=clone', 'run', 'server'] }),
    'the file of a project': path => ({
      command: 'pipenv',
      args: ['run', 'server'],
      env: { PIPENV_PIPFILE: `${path}/Pipfile` },
    }),
    'a script of R, relative': () => ({ command: 'Rscript', args: ['clone/server.R'] }),
    'a variable of PowerShell': path => ({
      command: 'pwsh',
      args: ['-Command', '& $env:UP/clone/evil.ps1'],
      env: { UP: join(path, '..') },
    }),
  };
  for (const [what, entry] of Object.entries(asText)) {
    it(`by its path in a text: ${what}`, function () {
      if (process.platform === 'win32') this.skip();
      assert.match(part(entry(clone)) ?? 'nothing', /^its .+ points into this workspace, which is not trusted$/);
      assert.equal(
        part(
          JSON.parse(
            JSON.stringify(entry(join(home, 'mine')))
              .replaceAll('clone', 'mine')
              .replace('WHERE', 'ELSE'),
          ),
        ),
        undefined,
      );
    });
  }

  it('by links, in either direction, also with .. behind them @untrusted.links-either-direction', function () {
    if (process.platform === 'win32') this.skip();
    symlinkSync(clone, join(home, 'link'));
    symlinkSync(join(clone, 'sub'), join(home, 'sub'));
    for (const path of ['link/evil.js', 'sub/../evil.js', 'sub/none/x.js'])
      for (const arg of [path, `${home}/${path}`, `--require=${home}/${path}`])
        assert.equal(
          part(program({ args: [arg] })),
          'its "args" points into this workspace, which is not trusted',
          arg,
        );
    // The folder is open by way of a link, and the text has the path behind it.
    const [definition] = resolveDefinitions([configured(program({ args: [join(clone, 'evil.js')] }))]).definitions;
    assert.ok(partInWorkspace(definition!, definition!.entry!, [join(home, 'link')]));
  });

  it('by nothing that interpreters and project managers look for in their folder: they run in another @untrusted.interpreters-project', () => {
    const ownFolders = join(home, 'storage', 'folders');
    const script = join(home, 'mine', 'server');
    for (const [command, ...args] of [
      ['tsx', `${script}.ts`],
      ['ts-node', `${script}.ts`],
      ['Rscript', `${script}.R`],
      ['poetry', 'run', 'server'],
      ['pipenv', 'run', 'server'],
      ['bundle', 'exec', 'server'],
      ['dotnet', 'tool', 'run', 'server'],
      ['script', '-qc', 'npx server', '/dev/null'],
    ])
      for (const isTrusted of [false, true]) {
        const [definition] = resolveDefinitions([configured({ command, args }, { isTrusted, ownFolders })]).definitions;
        assert.ok(definition?.entry?.type === 'stdio');
        assert.equal(dirname(definition.entry.cwd ?? ''), ownFolders, command);
        assert.deepEqual(definition.place.clearOf, [clone]);
        assert.equal(partInWorkspace(definition, definition.entry, [clone], { home }), undefined, command);
      }
  });

  it('by what its envFile holds @untrusted.envfile-holds', () => {
    const file = join(home, 'mine.env');
    assert.equal(
      part(program({ envFile: file }), `NODE_PATH=${clone}/node_modules\n`),
      'its variable NODE_PATH points into this workspace, which is not trusted',
    );
    assert.equal(part(program({ envFile: file }), 'TOKEN=abc\n'), undefined);
  });

  it('by its settings', () => {
    assert.equal(
      part({ command: 'x' }, undefined, { source: { scope: 'workspace' } }),
      'it is configured by this workspace, which is not trusted',
    );
  });

  it('by the program that prints the headers of a server @untrusted.program-prints-headers', () => {
    const url = 'https://example.com/mcp';
    const why = 'its "headersHelper" points into this workspace, which is not trusted';
    for (const headersHelper of [
      join(clone, 'get'),
      `node "${clone}/evil.js"`,
      `cd ${clone} && ./get`,
      { command: 'node', args: ['evil.js'], cwd: clone },
      { command: 'node', env: { NODE_OPTIONS: `-r ${clone}/evil.js` } },
    ])
      assert.equal(part({ url, headersHelper }), why, JSON.stringify(headersHelper));
    assert.equal(part({ url, headersHelper: '/opt/bin/get' }), undefined);
  });

  it('leaves alone what has nothing to do with it: other folders with the same beginning, packages, addresses', () => {
    for (const entry of [
      program({ args: [`${clone}-2/x.js`, join(home, 'clones', 'x.js')] }),
      { command: 'uvx', args: ['mcp-server-git', '--repository', join(home, 'mine')] },
      { command: 'npx', args: ['-y', '@scope/server@1.2.3'], env: { TOKEN: '${env:NONE}' } },
      { url: 'https://example.com/clone/mcp', headers: { Authorization: 'Bearer clone' } },
    ])
      assert.equal(part(entry), undefined, JSON.stringify(entry));
  });

  it('fails closed for a text with more parts than can be looked at', () => {
    const list = Array.from({ length: 10_000 }, (_, index) => `x${index}`).join(',');
    assert.equal(part(program({ args: [list] })), 'its "args" points into this workspace, which is not trusted');
  });

  it('fails closed for a path through more folders than can be looked up', () => {
    let looks = 0;
    const real = (path: string) => {
      looks++;
      return path;
    };
    const mention = new WorkspaceMention(['/work/clone'], { real });
    assert.equal(mention.leadsInto('/a'.repeat(900), undefined), false);
    assert.ok(looks < 1_000, `${looks} looks`);
    assert.equal(mention.leadsInto('/b'.repeat(16_000), undefined), true);
    assert.ok(looks < 1_000, `${looks} looks`);
  });

  it('on Windows in any case, with either slash, behind its long prefix @untrusted.windows-case-either', () => {
    const rules: PathRules = {
      platform: 'win32',
      path: win32,
      home: 'C:\\Users\\me',
      real: path => {
        if (/^C:\\USERS\\ME\\CLONE~1/i.test(path)) return path.replace(/CLONE~1/i, 'My Clone');
        throw new Error('ENOENT');
      },
    };
    const mention = new WorkspaceMention(['C:\\Users\\me\\My Clone'], rules);
    const from = 'C:\\Users\\me';
    for (const text of [
      'c:\\users\\ME\\my clone\\x.js',
      'C:/Users/me/My Clone/x.js',
      '--require=C:/Users/me//My Clone',
      '\\\\?\\C:\\Users\\me\\My Clone\\x',
      'file:///C:/Users/me/My%20Clone/x.js',
      'C:\\Users\\me\\CLONE~1\\x.js',
      '.\\my clone',
      '%USERPROFILE%\\My Clone\\x',
    ])
      assert.ok(mention.in(text, from), text);
    for (const text of ['C:\\Users\\me\\My Clone2\\x', 'D:\\Users\\me\\My Clone', '-y', 'https://example.com'])
      assert.ok(!mention.in(text, from), text);
  });

  it('on Windows on a share, in any spelling, and on a drive of this machine that is named as a share', () => {
    const none = () => {
      throw new Error('ENOENT');
    };
    const rules: PathRules = { platform: 'win32', path: win32, home: 'C:\\Users\\me', real: none };
    const share = new WorkspaceMention(['\\\\Server\\Share\\Clone'], rules);
    for (const text of [
      '\\\\server\\share\\clone\\x.js',
      '//SERVER/share/clone',
      '--require=\\\\server\\share\\clone\\x',
      '\\\\?\\UNC\\server\\share\\clone\\x',
      'file://server/share/clone/x.js',
    ])
      assert.ok(share.in(text, 'C:\\Users\\me'), text);
    assert.ok(share.leadsInto('\\\\?\\UNC\\server\\share\\clone\\x.exe', undefined));
    for (const text of ['\\\\server\\share\\clone2\\x', '\\\\other\\share\\clone', 'C:\\server\\share\\clones'])
      assert.ok(!share.in(text, 'C:\\Users\\me'), text);
    const drive = new WorkspaceMention(['c:\\work\\clone'], rules);
    for (const text of ['\\\\localhost\\C$\\work\\clone\\x.js', '//127.0.0.1/c$/work/clone', 'C:\\Work\\Clone\\x'])
      assert.ok(drive.in(text, 'D:\\'), text);
    const deep = `C:\\work\\clone\\${'folder\\'.repeat(60)}x.js`;
    assert.ok(drive.in(deep, 'D:\\') && drive.in(`\\\\?\\${deep}`, 'D:\\'), 'longer than 260 signs');
  });

  describe('by what is inherited', () => {
    const environment = (inherited: NodeJS.ProcessEnv, own: Record<string, string | null> = {}, shellPath?: string) =>
      launchEnvironment({ inherited, shellPath, own, clearOf: [clone] });

    it('variables of the editor that lead into it are left out, the others are not @untrusted.variables-editor-lead', () => {
      const env = environment({ PWD: clone, NODE_OPTIONS: `--require ${clone}/evil.js`, LOGNAME: 'clone', LANG: 'C' });
      const ours = process.platform === 'win32' ? ['NoDefaultCurrentDirectoryInExePath'] : [];
      assert.deepEqual(Object.keys(env).sort(), ['LANG', 'LOGNAME', ...ours, 'PATH']);
    });

    it('PATH has no folder of it, be it the editor’s or the login shell’s, also behind a link', function () {
      if (process.platform === 'win32') this.skip();
      symlinkSync(clone, join(home, 'link'));
      const path = [`${clone}/node_modules/.bin`, '/usr/bin', join(home, 'link', 'bin'), '/bin'].join(delimiter);
      assert.equal(environment({ PATH: path }).PATH, '/usr/bin:/bin');
      assert.equal(environment({ PATH: '/bin' }, {}, path).PATH, '/usr/bin:/bin');
    });

    it('a program of it that a link in PATH leads to does not answer @untrusted.program-link-path', async function () {
      if (process.platform === 'win32') this.skip();
      const bin = join(home, 'bin');
      mkdirSync(bin);
      const evil = join(clone, 'run');
      writeFileSync(evil, `#!/bin/sh\ntouch ${join(home, 'ran')}\n`);
      chmodSync(evil, 0o755);
      symlinkSync(evil, join(bin, 'my-server'));
      assert.equal(findProgram('my-server', { PATH: bin }, []), join(bin, 'my-server'));
      assert.equal(findProgram('my-server', { PATH: bin }, [clone]), undefined);
      await using test = new TestHost();
      const entry = { command: 'my-server', env: { PATH: bin } };
      test.host.reconcile(resolveDefinitions([configured(entry)]).definitions);
      const { error } = await test.reaches('one', 'failed');
      assert.match(error.message, /command not found: my-server/);
    });
  });
});

describe('where programs are looked for', () => {
  const environment = (inherited: NodeJS.ProcessEnv, own = {}, platform: NodeJS.Platform = 'linux') =>
    launchEnvironment({ inherited, shellPath: undefined, own, clearOf: [], platform });

  it('never depends on the working folder: relative and empty PATH entries are ignored @untrusted.depends-working-folder', () => {
    assert.equal(environment({ PATH: '.:/usr/bin::node_modules/.bin:/bin:' }).PATH, '/usr/bin:/bin');
    assert.equal(environment({ PATH: '/usr/bin' }, { PATH: './bin:/opt/bin' }).PATH, '/opt/bin');
    for (const env of [
      environment({ PATH: '.' }),
      environment({}),
      environment({}, { PATH: '' }),
      environment({ PATH: '/x' }, { PATH: null }),
    ])
      assert.equal(env.PATH, '/usr/bin:/bin', 'an empty PATH means the current folder');
  });

  it('is one PATH on Windows, whatever its case, and never the folder that a program runs in @untrusted.path-windows-case', () => {
    const env = environment(
      { Path: 'C:\\Windows;.\\bin;bin', SystemRoot: 'C:\\Windows' },
      { PATH: 'D:\\mine;.' },
      'win32',
    );
    assert.deepEqual(
      Object.entries(env).filter(([name]) => /^path$/i.test(name)),
      [['PATH', 'D:\\mine']],
    );
    assert.equal(env.NoDefaultCurrentDirectoryInExePath, '1');
    const there = new Set(['D:\\mine\\npx.cmd', 'C:\\repo\\npx.cmd', 'C:\\repo\\npx.exe', 'D:\\mine\\a.b.EXE']);
    const find = (command: string) =>
      findProgram(command, { Path: 'C:\\Windows;D:\\mine', PATHEXT: '.EXE;.cmd' }, [], {
        platform: 'win32',
        isProgram: path => there.has(path),
      });
    assert.equal(find('npx'), 'D:\\mine\\npx.cmd');
    assert.equal(find('npx.cmd'), 'D:\\mine\\npx.cmd');
    assert.equal(find('a.b'), 'D:\\mine\\a.b.EXE');
    assert.equal(find('none'), undefined);
  });

  it('starts for relative paths at the folder of the settings: the home folder for the person’s, never the process’s @untrusted.starts-relative-paths', function () {
    const definition = (scope: 'user' | 'workspace', entry: object) =>
      resolveDefinitions([
        {
          source: { scope },
          value: { one: entry },
          inputs: [{ type: 'promptString', id: 'dir', description: 'x' }],
          variables: {
            workspaceFolder: '/work/app',
            workspaceFolders: [['app', '/work/app']],
            userHome: '/home/me',
            env: () => undefined,
            config: () => undefined,
          },
        },
      ]).definitions[0]!;
    const paths = (scope: 'user' | 'workspace', entry: object) => {
      const { entry: launched, reviewed } = definition(scope, entry);
      assert.ok(launched?.type === 'stdio' && reviewed?.type === 'stdio');
      assert.deepEqual(
        [reviewed.command, reviewed.cwd, reviewed.envFile],
        [launched.command, launched.cwd, launched.envFile],
      );
      return [launched.command, launched.cwd, launched.envFile];
    };
    if (process.platform === 'win32') this.skip();
    const entry = { command: './run', envFile: '.env' };
    assert.deepEqual(paths('user', entry), ['/home/me/run', '/home/me', '/home/me/.env']);
    assert.deepEqual(paths('workspace', entry), ['/work/app/run', '/work/app', '/work/app/.env']);
    // A program is looked for from the folder that it is to run in, when the entry says that.
    assert.deepEqual(paths('user', { ...entry, cwd: 'tools' }), [
      '/home/me/tools/run',
      '/home/me/tools',
      '/home/me/.env',
    ]);
    assert.deepEqual(paths('workspace', { ...entry, cwd: '/opt' }), ['/opt/run', '/opt', '/work/app/.env']);
    assert.deepEqual(paths('user', { command: 'node' }), ['node', '/home/me', undefined]);
    // What is filled in at launch is left as it is until then.
    const { entry: open } = definition('user', { command: './run', cwd: '${input:dir}/x' });
    assert.deepEqual(open?.type === 'stdio' && [open.command, open.cwd], ['./run', '${input:dir}/x']);
  });

  it('settles late values at launch', async () => {
    const folder = temporaryFolder();
    const filled: { entry?: object } = {};
    await using test = new TestHost({
      launch: freely.launch.with({
        inputs: { admit: (_, entry) => ({ entry: { ...entry, ...filled.entry } as typeof entry }) },
      }),
    });
    mkdirSync(join(folder, 'sub'));
    filled.entry = { envFile: 'settled.env' };
    const variables = { workspaceFolders: {}, userHome: folder, env: () => undefined, config: () => undefined };
    const value = { one: { ...hostile(), cwd: 'sub' } };
    test.host.reconcile(resolveDefinitions([{ source: { scope: 'user' }, value, variables }]).definitions);
    const { error } = await test.reaches('one', 'failed');
    assert.ok(error.message.includes(`its "envFile" ${join(folder, 'settled.env')} could not be read`), error.message);
  });
});
