import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { resolveDefinitions } from '../../../src/host';
import { waitFor } from '../../servers/spawn';
import { temporaryFolder } from '../../setup/paths';
import { fixture, TestHost } from './testHost';

/** Programs that look in the folder that they run in, or in those above, for what to do. */
const lookers: [string, ...string[]][] = [
  ['npx', '-y', '@scope/server'],
  ['C:\\Program Files\\nodejs\\npx.cmd', 'x'],
  ['sh', '-c', 'exec npx -y x'],
  ['cmd', '/c', 'uvx', 'x'],
  ['uv', 'run', '/opt/server.py'],
  ['python3', '-m', 'server'],
  ['node', '--import=tsx', '/opt/server.ts'],
  ['tsx', '/opt/server.ts'],
  ['Rscript', '/opt/server.R'],
  ['ruby', '/opt/server.rb'],
  ['poetry', 'run', 'server'],
  ['bundle', 'exec', 'server'],
  ['dotnet', 'tool', 'run', 'server'],
  ['cargo', 'run', '--manifest-path', '/opt/server/Cargo.toml'],
  ['docker', 'compose', 'run', 'server'],
  ['make', 'serve'],
  ['just', 'serve'],
  ['gradle', 'run'],
  ['nix-shell', '--run', 'server'],
  ['git', 'mcp'],
  ['some-server'],
  ['/opt/some-server', '--all'],
  ['node', 'server.js'],
  ['${input:runner}', 'x'],
];

describe('a program of the person, in a trusted workspace', () => {
  let root: string;
  let repository: string;
  let folders: string;
  let test: TestHost;
  beforeEach(() => {
    root = temporaryFolder();
    repository = join(root, 'work', 'repository');
    folders = join(root, 'storage', 'folders');
    mkdirSync(repository, { recursive: true });
    test = new TestHost();
  });
  afterEach(async () => {
    await test.close();
  });

  const script = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  };
  const ran = () => existsSync(join(root, 'evil-ran'));

  function define(entry: object, scope: 'user' | 'workspace' = 'user') {
    const variables = {
      workspaceFolder: repository,
      workspaceFolders: [['repository', repository]] as const,
      userHome: join(root, 'me'),
      env: () => undefined,
      config: () => undefined,
    };
    const inputs = [{ type: 'promptString', id: 'runner', description: 'x' }];
    const source = { source: { scope }, value: { one: entry }, inputs, variables, ownFolders: folders };
    return resolveDefinitions([source]).definitions;
  }
  const cwdOf = ([definition]: ReturnType<typeof define>) =>
    definition?.entry?.type === 'stdio' ? definition.entry.cwd : undefined;

  it('runs in a folder of its own, whatever it is @ownFolders.runs-folder', () => {
    for (const [command, ...args] of lookers) {
      const [definition] = define({ command, args: [...args, '${workspaceFolder}/data'] });
      const cwd = cwdOf([definition!]);
      assert.equal(cwd && dirname(cwd), folders, [command, ...args].join(' '));
      assert.ok(definition?.place.inOwnFolder);
      assert.deepEqual(definition.place.clearOf, [repository], 'no folder in PATH, no variable leads there either');
      assert.equal(definition.reviewed?.type === 'stdio' && definition.reviewed.cwd, cwd, 'as it is reviewed');
      assert.equal(definition.entry?.type === 'stdio' && definition.entry.args.at(-1), join(repository, 'data'));
    }
  });

  it('has a folder of its own by its name, in each workspace the same', () => {
    const names = ['github', 'git hub', 'git_hub', '..', '𝕌ni', 'x'.repeat(100)];
    const value = Object.fromEntries(names.map(name => [name, { command: 'npx', args: ['x'] }]));
    const cwds = ['/one', '/two'].map(workspaceFolder => {
      const variables = { workspaceFolder, workspaceFolders: [['w', workspaceFolder]] as const, userHome: root };
      const { definitions } = resolveDefinitions([
        {
          source: { scope: 'user' },
          value,
          variables: { ...variables, env: () => undefined, config: () => undefined },
          ownFolders: folders,
        },
      ]);
      return definitions.map(definition => cwdOf([definition]));
    });
    assert.deepEqual(cwds[0], cwds[1]);
    assert.equal(new Set(cwds[0]).size, names.length);
    for (const cwd of cwds[0]!) assert.ok(cwd && dirname(cwd) === folders && basename(cwd).length < 60, cwd);
  });

  it('runs in the workspace where its cwd says so, or where it or its script lies @ownFolders.runs-workspace-cwd', function () {
    if (process.platform === 'win32') this.skip();
    for (const entry of [
      { command: 'npx', args: ['x'], cwd: '${workspaceFolder}' },
      { command: '${workspaceFolder}/bin/server' },
      { command: 'node', args: ['--enable-source-maps', '${workspaceFolder}/server.js', '--all'] },
      { command: '/usr/bin/env', args: ['A=1', 'python3', '-u', '${workspaceFolder}/server.py'] },
      { command: 'sh', args: ['-c', 'exec ${workspaceFolder}/bin/server'] },
    ]) {
      const [definition] = define(entry);
      assert.equal(cwdOf([definition!]), repository, JSON.stringify(entry));
      assert.ok(!definition?.place.inOwnFolder);
    }
    // What stands behind the script is data, and what a package manager runs is not what it is told.
    for (const entry of [
      { command: 'node', args: ['/opt/server.js', '${workspaceFolder}'] },
      { command: 'npx', args: ['-y', 'server-filesystem', '${workspaceFolder}'] },
      { command: 'cargo', args: ['run', '--manifest-path', '${workspaceFolder}/Cargo.toml'] },
      { command: 'node', args: ['--require', '${workspaceFolder}/x.js', '/opt/server.js'] },
    ])
      assert.notEqual(cwdOf(define(entry)), repository, JSON.stringify(entry));
  });

  it('runs in the workspace if the workspace configures it', () => {
    for (const [command, ...args] of lookers)
      assert.equal(cwdOf(define({ command, args }, 'workspace')), repository, command);
  });

  it('runs in a folder of its own if the workspace configures a package of a fixed version @ownFolders.runs-folder-workspace', () => {
    const fixed = [
      ['npx', '-y', '@scope/server@1.2.3'],
      ['uvx', '--from', 'server[cli]==1.0', 'server'],
      ['cmd', '/c', 'npx', 'server@1.2.3-rc.1', '${workspaceFolder}'],
    ];
    for (const [command = '', ...args] of fixed) {
      const [definition] = define({ command, args }, 'workspace');
      assert.ok(definition?.place.inOwnFolder, args.join(' '));
      assert.equal(dirname(cwdOf([definition]) ?? ''), folders);
      assert.notEqual(cwdOf([definition]), cwdOf(define({ command, args })), 'that of the person is another');
    }
    const others = [
      ['npx', 'server@latest'],
      ['npx', 'server@1.2.3', './data'],
      ['node', 'server@1.2.3'],
    ];
    for (const [command = '', ...args] of others)
      assert.equal(cwdOf(define({ command, args }, 'workspace')), repository, args.join(' '));
    assert.equal(cwdOf(define({ command: 'npx', args: ['server@1.2.3'], cwd: '.' }, 'workspace')), repository);
  });

  it('keeps what lies in the home folder, also when that is the folder that is open', () => {
    const variables = { workspaceFolder: root, workspaceFolders: [['me', root]] as const, userHome: root };
    const [definition] = resolveDefinitions([
      {
        source: { scope: 'user' },
        value: { one: { command: 'npx', args: ['x'] } },
        variables: { ...variables, env: () => undefined, config: () => undefined },
        ownFolders: folders,
      },
    ]).definitions;
    assert.deepEqual(definition?.place.clearOf, []);
    assert.ok(definition.place.inOwnFolder);
  });

  it('runs nothing that the workspace has put there for it, and its log says where it runs @ownFolders.runs-workspace-put', async function () {
    if (process.platform === 'win32') this.skip();
    // As cargo reads `.cargo/config.toml`, and make its Makefile.
    script(join(repository, 'hook'), `#!/bin/sh\ntouch '${root}/evil-ran'\n`);
    const { command, args, env } = fixture('hostile');
    const installed = [command, ...args].map(word => `'${word}'`).join(' ');
    script(join(root, 'bin', 'builder'), `#!/bin/sh\n[ -x ./hook ] && ./hook\nexec ${installed}\n`);
    const builder = { command: join(root, 'bin', 'builder'), args: ['run'], env };
    test.host.reconcile(define(builder));
    await test.reaches('one', 'ready');
    assert.ok(!ran());
    const [own = ''] = readdirSync(folders);
    await waitFor(() => test.logged(/it runs in /), { what: 'its log' });
    assert.ok(test.logged(new RegExp(`it runs in .*${own}`)));
    test.host.reconcile(define({ ...builder, cwd: '${workspaceFolder}' }));
    await test.reaches('one', 'ready');
    assert.ok(ran(), 'it does where the person wants it to run there');
  });

  it('npx: node_modules/.bin of the workspace does not answer, also when the editor was started by npm there @ownFolders.npx-node-modules', async function () {
    if (process.platform === 'win32') this.skip();
    this.timeout(60_000);
    // What npx takes before it asks a registry: a program of the project that it runs in, then one that is installed.
    script(join(repository, 'node_modules', '.bin', 'some-server'), `#!/bin/sh\ntouch '${root}/evil-ran'\n`);
    writeFileSync(join(repository, 'package.json'), '{ "name": "repository" }');
    const { command, args, env } = fixture('hostile');
    const installed = [command, ...args].map(word => `'${word}'`).join(' ');
    script(join(root, 'prefix', 'bin', 'some-server'), `#!/bin/sh\nexec ${installed}\n`);
    mkdirSync(join(root, 'prefix', 'lib'));
    const npx = {
      command: 'npx',
      args: ['-y', 'some-server'],
      env: {
        ...env,
        npm_config_offline: 'true',
        npm_config_cache: join(root, 'cache'),
        npm_config_prefix: join(root, 'prefix'),
      },
    };
    const before = { local: process.env.npm_config_local_prefix, cwd: process.env.INIT_CWD };
    process.env.npm_config_local_prefix = repository;
    process.env.INIT_CWD = repository;
    try {
      test.host.reconcile(define(npx));
      const { info } = await test.reaches('one', 'ready');
      assert.ok(info);
      assert.ok(!ran());
      const [own = ''] = readdirSync(folders);
      assert.deepEqual(readdirSync(join(folders, own)), ['package.json'], 'a project of its own, and nothing else');
      assert.deepEqual(JSON.parse(readFileSync(join(folders, own, 'package.json'), 'utf8')), { private: true });
      // With a cwd it is as the person has written it: and there it would have been another program.
      test.host.reconcile(define({ ...npx, cwd: '${workspaceFolder}' }));
      await test.reaches('one', 'failed');
      assert.ok(ran(), 'npx takes the program of the project that it runs in');
    } finally {
      for (const [name, value] of [
        ['npm_config_local_prefix', before.local],
        ['INIT_CWD', before.cwd],
      ] as const)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });

  it('learns of the workspace through its roots all the same', async function () {
    if (process.platform === 'win32') this.skip();
    script(join(root, 'bin', 'npx'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
    const { args, env } = fixture('hostile', '--roots');
    test.host.reconcile(define({ command: join(root, 'bin', 'npx'), args, env }));
    await test.reaches('one', 'ready');
    await waitFor(() => test.logged(/roots shared with it: file:\/\/\/root/), { what: 'its roots' });
  });
});
