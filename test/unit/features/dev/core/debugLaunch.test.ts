import assert from 'node:assert/strict';
import {
  attachConfiguration,
  type DebugWay,
  debugWay,
  type ProgramEntry,
  underDebugger,
} from '../../../../../src/features/dev/core/debugLaunch';

describe('a command line for a debugger', () => {
  const entry = (command: string, args: string[] = [], more: Partial<ProgramEntry> = {}) =>
    ({ type: 'stdio', command, args, env: {}, ...more }) as ProgramEntry;
  const launched = (known: 'node' | 'python', command: string, ...args: string[]) => {
    const changed = underDebugger(entry(command, args), known, 4711);
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
    const own = underDebugger(entry('npx', [], { env: { NODE_OPTIONS: '--no-warnings', A: 'b' } }), 'node', 4711);
    assert.deepEqual(own?.env, { NODE_OPTIONS: `--no-warnings ${INSPECT}`, A: 'b' });
    const removed = underDebugger(entry('npx', [], { env: { NODE_OPTIONS: null } }), 'node', 4711);
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
    assert.equal(launched('python', 'uv', 'run', '--script', 'server.py'), undefined);
  });

  it('is chosen by the entry, or else by the program', () => {
    const way = (command: string, debug?: NonNullable<ProgramEntry['dev']>['debug']) =>
      debugWay(entry(command, [], { dev: { debug } }));
    assert.deepEqual(way('node'), { known: 'node', type: 'node', own: {} });
    assert.deepEqual(way('C:\\Python\\python.exe'), { known: 'python', type: 'debugpy', own: {} });
    assert.equal(way('npx'), undefined);
    assert.deepEqual(way('npx', 'node'), { known: 'node', type: 'node', own: {} });
    assert.deepEqual(way('node', 'python'), { known: 'python', type: 'debugpy', own: {} });
    const own = { type: 'pwa-node', smartStep: false };
    assert.deepEqual(way('npx', own), { known: 'node', type: 'pwa-node', own: { smartStep: false } });
    assert.deepEqual(way('server', { type: 'go', port: 1 }), { known: undefined, type: 'go', own: { port: 1 } });
  });

  it('is attached to on this machine, whatever the entry contains', () => {
    const of = (way: DebugWay) => attachConfiguration(way, 'mine', '/w', 4711);
    const other = { request: 'launch', name: 'x', address: '0.0.0.0', port: 1, host: 'h', processId: '1' };
    assert.deepEqual(
      of({ known: 'node', type: 'node', own: { ...other, websocketAddress: 'ws://h', cwd: '/a', outFiles: ['o'] } }),
      {
        ...{ type: 'node', name: 'mine', request: 'attach', address: '127.0.0.1', port: 4711 },
        ...{ skipFiles: ['<node_internals>/**'], cwd: '/a', continueOnAttach: true, outFiles: ['o'] },
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
});
