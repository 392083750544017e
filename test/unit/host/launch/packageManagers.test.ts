import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { resolveDefinitions } from '../../../../src/host';
import { runsWhatItFinds } from '../../../../src/host/launch/packageManagers';
import { waitFor } from '../../../servers/spawn';
import { fixture, TestHost } from '../testHost';

const running: [string, ...string[]][] = [
  ['npx', '-y', '@scope/server'],
  ['npx.cmd', '-y', 'x'],
  ['/usr/local/bin/npx', 'x'],
  ['C:\\Program Files\\nodejs\\npx.cmd', 'x'],
  ['npm', 'exec', '--', 'x'],
  ['npm', '--yes', 'x', 'y'],
  ['pnpm', 'dlx', 'x'],
  ['pnpm', 'exec', 'x'],
  ['pnpx', 'x'],
  ['yarn', 'dlx', 'x'],
  ['bunx', 'x'],
  ['bun', 'x', 'y'],
  ['uvx', 'x'],
  ['uv', 'tool', 'run', 'x'],
  ['pipx', 'run', 'x'],
  ['deno', 'run', '-A', 'npm:x'],
  ['cmd', '/c', 'npx', '-y', 'x'],
  ['cmd.exe', '/d', '/s', '/c', '"npx -y x"'],
  ['sh', '-c', 'exec npx -y x'],
  ['bash', '-lc', 'TOKEN=$(cat t) npx x'],
  ['zsh', '-c', 'cd /tmp&&/opt/bin/uvx x'],
  ['powershell.exe', '-Command', '& npx.ps1 -y x'],
  ['env', '-i', 'A=b', 'npx', 'x'],
  ['/usr/bin/env', 'npx', 'x'],
  ['sudo', '-u', 'me', 'uvx', 'x'],
  ['mise', 'exec', 'node@22', '--', 'npx', 'x'],
  ['op', 'run', '--', 'npm', 'exec', 'x'],
  ['dotenvx', 'run', 'npx', 'x'],
  ['node', '/usr/lib/node_modules/npm/bin/npx-cli.js', '-y', 'x'],
  ['python3', '-m', 'pipx', 'run', 'x'],
  ['${input:runner}', 'x'],
  ['python3.12', '-m', 'mcp_server_git'],
  ['/opt/venv/bin/python', '-u', '-X', 'utf8', '-m', 'mcp_server'],
  ['python', '-Bum', 'mcp_server'],
  ['python', '-c', 'import server; server.main()'],
  ['sh', '-c', 'exec python3 -m server'],
  ['node', '-r', 'dotenv/config', '/opt/server.js'],
  ['node', '--import=tsx', '/opt/server.ts'],
  ['node', '--env-file=.env', '/opt/server.js'],
  ['node', '-e', "require('server')"],
  ['py.exe', '-m', 'uv', 'tool', 'run', 'x'],
  ['xvfb-run', 'npm', 'exec', 'x'],
  ['dotenv', 'pnpm', 'dlx', 'x'],
  ['node', '/usr/lib/node_modules/pnpm/bin/pnpm.cjs', 'dlx', 'x'],
  ['node', '/usr/share/yarn/yarn.js', 'dlx', 'x'],
  ['dotnet', 'tool', 'exec', 'X'],
  ['go', 'run', 'example.com/server@latest'],
  ['nix', 'run', 'nixpkgs#server'],
  ['proto', 'run', 'npm', '--', 'exec', 'x'],
  ['busybox', 'sh', '-c', 'npm exec x'],
  ['ash', '-c', 'pnpm dlx x'],
  ['python3.13t', '-m', 'server'],
  ['node-22', '-e', "require('server')"],
  ['jbang', 'server@example'],
  ['sudo', 'go', 'run', 'example.com/server@latest'],
  ['sh', '-c', 'exec dotnet tool exec X'],
  ['node', '--experimental-default-config-file', '/opt/server.js'],
  ['tsx', '/opt/server.ts'],
  ['tsx', '--env-file=.env', 'server.ts'],
  ['ts-node', '-P', '/opt/tsconfig.json', '/opt/server.ts'],
  ['Rscript', '/opt/server.R'],
  ['poetry', 'run', 'server'],
  ['pipenv', 'run', 'python', '/opt/server.py'],
  ['bundle', 'exec', 'server'],
  ['dotnet', 'tool', 'run', 'server'],
  ['script', '-qc', 'npx x', '/dev/null'],
  ['caffeinate', '-i', 'npx', 'x'],
  ['conda', 'run', '-n', 'x', 'python', '-m', 'server'],
  ['nu', '-c', 'npx x'],
  ['my-wrapper', '--', 'npm', 'start'],
];
const others: [string, ...string[]][] = [
  ['node', 'server.js', '--with', 'npm'],
  ['python', '/opt/server.py', '-m', 'x'],
  ['python3', '-u', '-W', 'ignore', 'server.py'],
  ['node', '--import=file:///opt/tsx.mjs', '--max-old-space-size=100', '/opt/server.ts'],
  ['node', '-r', '/opt/register.js', 'server.js', '-e', 'x'],
  ['docker', 'run', '-i', '--rm', 'node:22', 'npx', '-y', 'x'],
  ['ssh', 'host', 'npx', 'x'],
  ['podman', 'run', '-i', '--rm', 'server'],
  ['sudo', 'docker', 'run', '-i', '--rm', 'server'],
  ['dotnet', '/opt/server.dll'],
  ['my-npx-server'],
  ['sh', '-c', 'node /opt/npm-server/x.js'],
  ['/opt/npm/bin/server'],
  // A script of the folder itself is what the person means.
  ['tsx', 'src/server.ts'],
  ['Rscript', './server.R'],
  ['my-wrapper', 'docker', 'run', '-v', '.:/x', 'server'],
];

describe('a program that runs what it finds in its folder', () => {
  it('is recognized by name or path, also behind shells, and by a module name argument', () => {
    for (const [command, ...args] of running) assert.ok(runsWhatItFinds(command, args), [command, ...args].join(' '));
    for (const [command, ...args] of others) assert.ok(!runsWhatItFinds(command, args), [command, ...args].join(' '));
  });
});

describe('a package manager of the person, in a trusted workspace', () => {
  let root: string;
  let repository: string;
  let empty: string;
  let test: TestHost;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'runners-')));
    repository = join(root, 'repository');
    empty = join(root, 'storage', 'empty');
    test = new TestHost();
  });
  afterEach(async () => {
    await test.close();
    rmSync(root, { recursive: true });
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
      userHome: root,
      env: () => undefined,
      config: () => undefined,
    };
    const source = { source: { scope }, value: { one: entry }, variables, emptyFolder: empty };
    return resolveDefinitions([source]).definitions;
  }
  const cwdOf = ([definition]: ReturnType<typeof define>) =>
    definition?.entry?.type === 'stdio' ? definition.entry.cwd : undefined;

  it('runs in an empty folder; with a cwd, in settings of a workspace, and as another program where it did', () => {
    const npx = { command: 'npx', args: ['-y', 'x', '${workspaceFolder}'] };
    assert.equal(cwdOf(define(npx)), empty);
    assert.equal(cwdOf(define({ command: 'cmd', args: ['/c', 'uvx', 'x'] })), empty);
    assert.equal(cwdOf(define({ ...npx, cwd: '${workspaceFolder}' })), repository);
    assert.equal(cwdOf(define(npx, 'workspace')), repository);
    assert.equal(cwdOf(define({ command: 'node', args: ['x'] })), repository);
    const [definition] = define(npx);
    assert.deepEqual(definition?.place.clearOf, [repository]);
    assert.ok(definition?.reviewed?.type === 'stdio');
    assert.equal(definition.reviewed.cwd, empty, 'as it is reviewed');
    assert.deepEqual(
      definition.entry?.type === 'stdio' && definition.entry.args[2],
      repository,
      'arguments are as written',
    );
  });

  it('keeps what is in the home folder, also when that is the open folder', () => {
    const variables = { workspaceFolder: root, workspaceFolders: [['me', root]] as const, userHome: root };
    const [definition] = resolveDefinitions([
      {
        source: { scope: 'user' },
        value: { one: { command: 'npx', args: ['x'] } },
        variables: { ...variables, env: () => undefined, config: () => undefined },
        emptyFolder: empty,
      },
    ]).definitions;
    assert.deepEqual(definition?.place.clearOf, []);
    assert.equal(definition?.entry?.type === 'stdio' && definition.entry.cwd, empty);
  });

  it('npx: node_modules/.bin of the workspace does not answer, also when the editor was started by npm there', async function () {
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
      assert.deepEqual(readdirSync(empty), ['package.json'], 'a project of its own, and nothing else');
      assert.deepEqual(JSON.parse(readFileSync(join(empty, 'package.json'), 'utf8')), { private: true });
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
