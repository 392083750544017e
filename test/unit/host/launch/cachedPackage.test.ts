import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CachedPackage } from '../../../../src/host/launch/cachedPackage';
import type { Launch } from '../../../../src/host/launch/processGroup';
import { readyProgram } from '../../../../src/host/sandbox/launcher';
import { type NpmRegistry, startNpmRegistry } from '../../../servers/npmRegistry';
import { temporaryFolder } from '../../../setup/paths';

/** Prints what it sees, then exits with the code that its last argument names, if it is one. */
const SEES = `
const { argv, argv0, execArgv, execPath, env, title } = process;
const { readFileSync } = require('node:fs');
const parent = readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8').split('\\0').slice(0, 2);
console.log(JSON.stringify({ version: VERSION, argv, argv0, execArgv, execPath, title, env, cwd: process.cwd(), parent }));
process.exitCode = Number(argv.at(-1)) || 0;
`;
const sees = (version: string) => SEES.replace('VERSION', JSON.stringify(version));

interface StartRecord {
  readonly version: string;
  readonly env: Record<string, string>;
  readonly argv: readonly string[];
  readonly parent: readonly string[];
}

describe('a package in the cache of npx', function () {
  this.timeout(120_000);
  if (process.platform !== 'linux') return; // it looks at /proc
  let registry: NpmRegistry;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let memory: Map<string, unknown>;
  let newer: string[];
  let notes: string[];

  beforeEach(async () => {
    registry = await startNpmRegistry();
    registry.publish({ name: 'seeing', version: '1.0.0', bin: { seeing: sees('1.0.0') } });
    folder = realpathSync(temporaryFolder());
    mkdirSync(join(folder, 'cwd'));
    writeFileSync(join(folder, 'cwd', 'package.json'), '{ "private": true }');
    env = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
      HOME: folder,
      npm_config_cache: join(folder, 'cache'),
      npm_config_registry: registry.url,
    };
    memory = new Map();
    newer = [];
    notes = [];
  });
  afterEach(async () => {
    await registry.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts it, and lets it end. */
  const run = async (command: string, args: readonly string[], more: Partial<Launch> = {}, isReady = true) => {
    const launch: Launch = { command, args, env, cwd: join(folder, 'cwd'), ...more };
    const ports = {
      memory: {
        read: async (key: string) => memory.get(key),
        write: async (key: string, value: unknown) => void memory.set(key, JSON.parse(JSON.stringify(value ?? null))),
      },
      newer: (version: string) => void newer.push(version),
      pauseMs: 0,
    };
    const cached = CachedPackage.of(launch, ports, note => notes.push(note));
    const program = (await readyProgram(launch, undefined, cached)).start();
    const ended = new Promise<number | null>(resolve => program.child.once('exit', resolve));
    const [output, stderr, code] = await Promise.all([text(program.child.stdout!), text(program.child.stderr!), ended]);
    // Npx must have installed it before: a server is ready then.
    if (isReady) await cached?.settle();
    await program.release();
    if (!output) throw new Error(stderr);
    const { parent, ...seen } = JSON.parse(output) as StartRecord;
    const { _, SHLVL, OLDPWD, ...variables } = seen.env;
    return { ...seen, env: variables, code, byNpx: parent[1] !== process.argv[1], parent };
  };
  /** Starts it as npx does, and asks npx. */
  const learn = async (args: readonly string[], command = 'npx') => {
    const seen = await run(command, args);
    assert.ok([...memory.values()].some(Boolean));
    return seen;
  };

  for (const [command, ...args] of [
    ['npx', '-y', 'seeing@1.0.0', 'a', "b 'c' $HOME", '--flag', '3'],
    ['npx', '--yes', '--quiet', '--', 'seeing', '-y', '4'],
    ['npx', '-y', '-p', 'seeing', 'seeing', '5'],
    ['npx', 'seeing@latest', '6'],
    ['npm', 'exec', '-y', '--package=seeing', '--', 'seeing', '--version', '7'],
    ['npm', 'x', '-y', 'seeing@1.0.0', '8'],
  ] as const)
    it(`is started without npx, and sees exactly the same: ${command} ${args.join(' ')}`, async () => {
      const first = await learn(args, command);
      assert.equal(first.byNpx, true);
      const second = await run(command, args);
      assert.equal(second.byNpx, false);
      assert.deepEqual({ ...second, byNpx: true, parent: [] }, { ...first, parent: [] });
      assert.equal(String(second.code), args.at(-1));
      assert.match(notes.join('\n'), /^it is started without np\w+, from its cache: seeing 1\.0\.0, \S+$/);
    });

  it('sees the same with settings of npm of the folder and of the person', async () => {
    writeFileSync(join(folder, '.npmrc'), 'fund=false\neditor=my-editor\nnode-options=--no-warnings\n');
    writeFileSync(join(folder, 'cwd', '.npmrc'), 'loglevel=error\ncolor=always\nyes=false\n');
    const first = await learn(['-y', 'seeing']);
    const second = await run('npx', ['-y', 'seeing']);
    assert.equal(second.byNpx, false);
    assert.deepEqual({ ...second, byNpx: true, parent: [] }, { ...first, parent: [] });
    assert.equal(second.env.EDITOR, 'my-editor');
    assert.equal(second.env.NODE_OPTIONS, '--no-warnings');
  });

  for (const yes of ['npm_config_yes', 'NPM_CONFIG_YES'])
    it(`sees the same where ${yes} is set already`, async () => {
      const own = { env: { ...env, [yes]: '' } };
      const first = await run('npx', ['-y', 'seeing'], own);
      const second = await run('npx', ['-y', 'seeing'], own);
      assert.equal(second.byNpx, false);
      assert.deepEqual({ ...second, byNpx: true, parent: [] }, { ...first, parent: [] });
      for (const _ of [1, 2]) assert.equal((await run('npx', ['seeing'], own)).byNpx, true);
    });

  it('is of the newest version one start after that was published', async () => {
    await learn(['-y', 'seeing']);
    registry.publish({ name: 'seeing', version: '1.1.0', bin: { seeing: sees('1.1.0') } });
    const { version, byNpx } = await run('npx', ['-y', 'seeing']);
    assert.deepEqual([version, byNpx], ['1.0.0', false]);
    assert.deepEqual(newer, ['1.1.0']);
    const next = await learn(['-y', 'seeing']);
    assert.deepEqual([next.version, next.byNpx], ['1.1.0', true]);
    const last = await run('npx', ['-y', 'seeing']);
    assert.deepEqual([last.version, last.byNpx], ['1.1.0', false]);
    assert.deepEqual(newer, ['1.1.0']);
  });

  it('does not ask about a fixed version', async () => {
    await learn(['-y', 'seeing@1.0.0']);
    const asked = registry.asked.length;
    registry.publish({ name: 'seeing', version: '1.1.0', bin: { seeing: sees('1.1.0') } });
    const { version, byNpx } = await run('npx', ['-y', 'seeing@1.0.0']);
    assert.deepEqual([version, byNpx], ['1.0.0', false]);
    assert.equal(registry.asked.length, asked);
  });

  it('starts while its registry can not be reached', async () => {
    await learn(['-y', 'seeing']);
    await registry.close();
    for (const _ of [1, 2]) assert.equal((await run('npx', ['-y', 'seeing'])).byNpx, false);
    assert.deepEqual(newer, []);
    registry = await startNpmRegistry();
  });

  const changes: Readonly<Record<string, () => Partial<Launch> | undefined>> = {
    'a program of its name in the folder': () => {
      mkdirSync(join(folder, 'cwd', 'node_modules', '.bin'), { recursive: true });
      writeFileSync(
        join(folder, 'cwd', 'node_modules', '.bin', 'seeing'),
        `#!/usr/bin/env node\n${sees('of the folder')}`,
        { mode: 0o755 },
      );
      return undefined;
    },
    'a program of its name in a folder above': () => {
      mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
      writeFileSync(join(folder, 'node_modules', '.bin', 'seeing'), `#!/usr/bin/env node\n${sees('above')}`, {
        mode: 0o755,
      });
      return undefined;
    },
    'another shell for scripts': () => void writeFileSync(join(folder, 'cwd', '.npmrc'), 'script-shell=/bin/bash\n'),
    'other settings of npm of the person': () => void writeFileSync(join(folder, '.npmrc'), 'fund=false\n'),
    'another program in the cache': () => {
      const cached = /\S+$/.exec(notes[0] ?? '')![0];
      rmSync(realpathSync(cached));
      writeFileSync(join(cached, '..', '..', 'seeing', 'seeing'), `#!/usr/bin/env node\n${sees('changed')}`, {
        mode: 0o755,
      });
      return undefined;
    },
    'another variable': () => ({ env: { ...env, npm_config_loglevel: 'error' } }),
    'another folder': () => ({ cwd: folder }),
  };
  for (const [what, change] of Object.entries(changes))
    it(`is started by npx after a change: ${what}`, async () => {
      await learn(['-y', 'seeing']);
      assert.equal((await run('npx', ['-y', 'seeing'])).byNpx, false);
      const seen = await run('npx', ['-y', 'seeing'], change());
      assert.equal(seen.byNpx, true);
    });

  for (const settings of ['script-shell=/bin/bash', 'workspaces=false'])
    it(`is always started by npx where .npmrc has ${settings}`, async () => {
      writeFileSync(join(folder, 'cwd', '.npmrc'), settings);
      for (const _ of [1, 2]) assert.equal((await run('npx', ['-y', 'seeing'])).byNpx, true);
    });

  it('is started by npx when what is stored has lost a part', async () => {
    await learn(['-y', 'seeing']);
    const [[key, value]] = memory as unknown as [[string, { start: { set: Record<string, string> } }]];
    memory.set(key, { ...value, start: { ...value.start, set: { ...value.start.set, PATH: '•••' } } });
    assert.equal((await run('npx', ['-y', 'seeing'])).byNpx, true);
  });

  it('is started by npx after a start in which it was never ready', async () => {
    await learn(['-y', 'seeing']);
    assert.equal((await run('npx', ['-y', 'seeing'], {}, false)).byNpx, false);
    assert.equal((await run('npx', ['-y', 'seeing'])).byNpx, true);
  });

  it('is told of no other lines', () => {
    const lines = [
      ['npx'],
      ['npx', '-y'],
      ['npx', '-y', '-p', 'a', '-p', 'b', 'a'],
      ['npx', '-y', '-c', 'seeing'],
      ['npx', '--call=seeing'],
      ['npx', '-y', '--node-options=--inspect', 'seeing'],
      ['npx', '-w', 'a', 'seeing'],
      ['npx', '--workspaces', 'seeing'],
      ['npx', '--script-shell=bash', 'seeing'],
      ['npx', '--prefix', '/tmp', 'seeing'],
      ['npx', '-y', '.'],
      ['npx', '-y', './seeing'],
      ['npx', '-y', '/tmp/seeing'],
      ['npx', '-y', 'github:someone/seeing'],
      ['npx', '-y', 'someone/seeing'],
      ['npx', '-y', 'seeing@npm:other'],
      ['npx', '-y', 'seeing@^1.0.0'],
      ['npx', '-y', 'seeing@1'],
      ['npx', '-y', 'seeing@v1'],
      ['npx', '-y', 'seeing@x'],
      ['npx', '-y', 'https://example.com/seeing.tgz'],
      ['npx', '-y', '-p', 'seeing', '--', '../seeing'],
      ['npm', 'exec', 'seeing', '--flag'],
      ['npm', 'run', 'seeing'],
      ['npm', 'create', 'seeing'],
      ['sh', '-c', 'npx -y seeing'],
      ['pnpm', 'dlx', 'seeing'],
      ['node', 'npx-cli.js', 'seeing'],
    ];
    const ports = { memory: { read: async () => undefined, write: async () => {} }, newer: () => {} };
    for (const [command = '', ...args] of lines)
      assert.equal(
        CachedPackage.of({ command, args, env, cwd: folder }, ports, () => {}),
        undefined,
        `${command} ${args.join(' ')}`,
      );
    for (const variable of ['npm_config_script_shell', 'NPM_CONFIG_CALL', 'npm_config_workspace'])
      assert.equal(
        CachedPackage.of(
          { command: 'npx', args: ['-y', 'seeing'], env: { ...env, [variable]: 'x' }, cwd: folder },
          ports,
          () => {},
        ),
        undefined,
        variable,
      );
  });
});
