import assert from 'node:assert/strict';
import { delimiter, resolve } from 'node:path';
import {
  attachConfiguration,
  type DebugWay,
  debugWay,
  sourceFolders,
  underDebugger,
} from '../../../../../src/features/dev/core/debugLaunch';
import type { ServerDefinition } from '../../../../../src/host/definition';
import type { ProgramEntry } from '../../../../../src/host/settings';

describe('a command line for a debugger', () => {
  const entry = (command: string, args: string[] = [], more: Partial<ProgramEntry> = {}) =>
    ({ type: 'stdio', command, args, env: {}, ...more }) as ProgramEntry;
  const at = { port: 4711, debugpyFolder: '/ours' };
  const launched = (known: 'node' | 'python', command: string, ...args: string[]) => {
    const changed = underDebugger(entry(command, args), known, at);
    return (
      changed && [
        changed.command,
        ...changed.args,
        ...Object.entries(changed.env).map(([name, value]) => `${name}=${value}`),
      ]
    );
  };
  const INSPECT = '--inspect-brk=127.0.0.1:4711';
  const DEBUGPY = ['-m', 'debugpy', '--listen', '127.0.0.1:4711', '--wait-for-client'];

  it("gets Node's flag right after its name, whatever its path", () => {
    for (const node of [
      'node',
      'nodejs',
      '/usr/bin/node',
      'C:\\Program Files\\nodejs\\node.exe',
      'NODE.EXE',
      '.\\bin/node',
    ])
      assert.deepEqual(launched('node', node, '-r', 'x', 'server.js', '--inspect'), [
        node,
        INSPECT,
        '-r',
        'x',
        'server.js',
        '--inspect',
      ]);
  });

  it("loses other inspector ports of Node, but keeps the script's arguments", () => {
    const args = ['--inspect', '--inspect-brk=9229', '--inspect-port=1', '--enable-source-maps', 's.js', '--inspect=2'];
    assert.deepEqual(launched('node', 'node', ...args), [
      'node',
      INSPECT,
      '--enable-source-maps',
      's.js',
      '--inspect=2',
    ]);
  });

  it('passes the flag in a variable when Node is started by another name', () => {
    for (const command of ['npx', 'tsx', 'C:\\nodejs\\npx.cmd', '/opt/node/bin/npm'])
      assert.deepEqual(launched('node', command, 'server.ts'), [command, 'server.ts', `NODE_OPTIONS=${INSPECT}`]);
    const own = underDebugger(entry('npx', [], { env: { NODE_OPTIONS: '--no-warnings', A: 'b' } }), 'node', at);
    assert.deepEqual(own?.env, { NODE_OPTIONS: `--no-warnings ${INSPECT}`, A: 'b' });
    const removed = underDebugger(entry('npx', [], { env: { NODE_OPTIONS: null } }), 'node', at);
    assert.deepEqual(removed?.env, { NODE_OPTIONS: INSPECT });
  });

  it('gets debugpy after the options of Python, before the script', () => {
    for (const python of ['python', 'python3.12', '/venv/bin/python3', 'C:\\venv\\Scripts\\python.exe', 'py'])
      assert.deepEqual(launched('python', python, 'server.py', '-u'), [python, ...DEBUGPY, 'server.py', '-u']);
    assert.deepEqual(launched('python', 'py', '-3.12', '-u', '-X', 'dev', '-Wd', '-m', 'server'), [
      ...['py', '-3.12', '-u', '-X', 'dev', '-Wd'],
      ...DEBUGPY,
      ...['-m', 'server'],
    ]);
    assert.deepEqual(launched('python', 'python', '-c', 'pass'), ['python', ...DEBUGPY, '-c', 'pass']);
    assert.deepEqual(launched('python', 'python', '-X'), ['python', '-X', ...DEBUGPY]);
  });

  it('is searched for Python, and is unsupported without it', () => {
    const args = ['run', '--directory', 'a', 'python', '-u', 'server.py'];
    assert.deepEqual(launched('python', 'uv', ...args), ['uv', ...args.slice(0, -1), ...DEBUGPY, 'server.py']);
    assert.equal(launched('python', 'my-server', 'run', '--script', 'server.py'), undefined);
    assert.equal(launched('python', 'uv', '--version'), undefined);
  });

  it('has debugpy from uv, and waits by a variable', () => {
    const own = { env: { PYTHONPATH: '/theirs' } };
    const launchedBy = (command: string, ...args: string[]) => underDebugger(entry(command, args, own), 'python', at);
    const env = { PYTHONPATH: `/ours${delimiter}/theirs`, MCP_HOST_DEBUGPY: '4711' };
    const script = launchedBy('/opt/uv', '--directory', 'a', 'run', '--script', 'server.py');
    assert.deepEqual(script?.args, ['--directory', 'a', 'run', '--with', 'debugpy', '--script', 'server.py']);
    assert.deepEqual(script?.env, env);
    for (const uvx of ['uvx', 'uvx.exe']) assert.deepEqual(launchedBy(uvx, 'pkg')?.args, ['--with', 'debugpy', 'pkg']);
    assert.deepEqual(launchedBy('uv', 'tool', 'run', 'pkg')?.args, ['tool', 'run', '--with', 'debugpy', 'pkg']);
    assert.deepEqual(launchedBy('cmd', '/c', 'uvx', 'pkg')?.args, ['/c', 'uvx', '--with', 'debugpy', 'pkg']);
    const inherited = underDebugger(entry('uvx', ['pkg']), 'python', at)?.env.PYTHONPATH;
    assert.equal(inherited, ['/ours', process.env.PYTHONPATH].filter(Boolean).join(delimiter));
  });

  it('is chosen by the entry, or else by the program', () => {
    const way = (command: string, debug?: NonNullable<ProgramEntry['dev']>['debug']) =>
      debugWay(entry(command, [], { dev: { debug } }));
    assert.deepEqual(way('node'), { known: 'node', type: 'node', own: {} });
    assert.deepEqual(way('C:\\Python\\python.exe'), { known: 'python', type: 'debugpy', own: {} });
    for (const uv of ['uv', 'uvx', 'C:\\bin\\uvx.exe'])
      assert.deepEqual(way(uv), { known: 'python', type: 'debugpy', own: {} });
    assert.equal(way('npx'), undefined);
    assert.deepEqual(way('npx', 'node'), { known: 'node', type: 'node', own: {} });
    assert.deepEqual(way('node', 'python'), { known: 'python', type: 'debugpy', own: {} });
    const own = { type: 'pwa-node', smartStep: false };
    assert.deepEqual(way('npx', own), { known: 'node', type: 'pwa-node', own: { smartStep: false } });
    assert.deepEqual(way('server', { type: 'go', port: 1 }), { known: undefined, type: 'go', own: { port: 1 } });
  });

  it('is attached to on this machine, whatever the entry contains @debugLaunch.attached-machine-entry', () => {
    const of = (way: DebugWay) => attachConfiguration(way, 'mine', { cwd: '/w', folders: ['/w', 'C:\\s'], port: 4711 });
    const other = { request: 'launch', name: 'x', address: '0.0.0.0', port: 1, host: 'h', processId: '1' };
    assert.deepEqual(
      of({ known: 'node', type: 'node', own: { ...other, websocketAddress: 'ws://h', cwd: '/a', outFiles: ['o'] } }),
      {
        ...{ type: 'node', name: 'mine', request: 'attach', address: '127.0.0.1', port: 4711 },
        ...{ skipFiles: ['<node_internals>/**'], cwd: '/a', continueOnAttach: true, outFiles: ['o'] },
        resolveSourceMapLocations: ['/w/**', 'C:/s/**', '!**/node_modules/**'],
      },
    );
    assert.deepEqual(
      of({ known: 'python', type: 'debugpy', own: { request: 'launch', listen: {}, host: 'h', justMyCode: false } }),
      {
        ...{ type: 'debugpy', name: 'mine', request: 'attach', connect: { host: '127.0.0.1', port: 4711 } },
        justMyCode: false,
      },
    );
    assert.deepEqual(of({ known: undefined, type: 'go', own: { port: 1, request: 'launch', mode: 'remote' } }), {
      ...{ type: 'go', name: 'mine', request: 'attach', port: 1, mode: 'remote' },
    });
  });

  it('is looked up in the source maps of the folders that belong to the program', () => {
    const folders = (
      scope: 'user' | 'workspace',
      program: Partial<ProgramEntry>,
      saysCwd = program.cwd !== undefined,
    ) => {
      const definition = { source: { scope }, place: { base: resolve('/base'), saysCwd } } as ServerDefinition;
      return sourceFolders(definition, entry('node', ['server.js'], program));
    };
    assert.deepEqual(folders('workspace', { cwd: resolve('/base/a') }), [resolve('/base')]);
    assert.deepEqual(folders('workspace', { cwd: resolve('/other') }), [resolve('/base'), resolve('/other')]);
    assert.deepEqual(folders('user', { cwd: resolve('/mine'), args: ['dist/s.js'] }), [resolve('/mine')]);
    const script = { cwd: resolve('/home'), args: ['--enable-source-maps', resolve('/mine/dist/s.js')] };
    assert.deepEqual(folders('user', script, false), [resolve('/mine/dist')]);
    assert.deepEqual(folders('user', { args: ['-e', '0'] }), []);
    const none = attachConfiguration({ known: 'node', type: 'node', own: {} }, 'x', { cwd: '/', folders: [], port: 1 });
    assert.ok(!('outFiles' in none) && !('resolveSourceMapLocations' in none));
  });
});
