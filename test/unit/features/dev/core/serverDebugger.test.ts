import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Tool } from '@modelcontextprotocol/client';
import { english } from '../../../../../src/base/phrase';
import { type AttachConfiguration, debugWay } from '../../../../../src/features/dev/core/debugLaunch';
import { type DebugSession, letRun, ServerDebugger } from '../../../../../src/features/dev/core/serverDebugger';
import type { ServerConnection } from '../../../../../src/host';
import type { Admission, LaunchCheck } from '../../../../../src/host/definition';
import type { ProgramEntry } from '../../../../../src/host/settings';
import { waitFor } from '../../../../servers/spawn';
import { freely } from '../../../../setup/freely';
import { inRepository, temporaryFolder } from '../../../../setup/paths';
import { raw } from '../../../../setup/raw';
import { TestHost } from '../../../host/testHost';
import { DebugClient, pythonWithDebugpy } from '../debugClient';
import { OWN_SERVER, tool } from '../ownServer';

interface TestDebugger extends DebugSession {
  readonly socket: Socket;
  /** What it was told. */
  told(): string;
  send(method: string): void;
  run(): void;
}

/** What a debugger does at least: it attaches to Node's inspector, and lets the program run. */
async function attach(port: number): Promise<TestDebugger> {
  const [list] = await once(get({ host: '127.0.0.1', port, path: '/json/list' }), 'response');
  let text = '';
  for await (const chunk of list) text += chunk;
  const path = new URL(JSON.parse(text)[0].webSocketDebuggerUrl).pathname;
  const key = randomBytes(16).toString('base64');
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': 13,
    'Sec-WebSocket-Key': key,
  };
  const [, socket] = (await once(get({ host: '127.0.0.1', port, path, headers }), 'upgrade')) as [unknown, Socket];
  socket.on('error', () => {});
  let told = '';
  socket.setEncoding('latin1').on('data', chunk => {
    told += chunk;
  });
  const send = (method: string) => {
    const message = Buffer.from(JSON.stringify({ id: 1, method }));
    // A masked text frame; the mask of zeros leaves it as it is.
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | message.length, 0, 0, 0, 0]), message]));
  };
  const run = () => send('Runtime.runIfWaitingForDebugger');
  const ended = new Promise(resolve => socket.once('close', resolve));
  return { socket, told: () => told, send, run, ended, end: () => socket.destroy() };
}

/** As to a debugpy that `DEBUGPY` stands for. */
async function attachTo(port: number): Promise<TestDebugger> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const ended = new Promise(resolve => socket.once('close', resolve));
  const send = (text: string) => void socket.write(text);
  const run = () => send('run');
  return { socket, told: () => '', send, run, ended, end: () => socket.destroy() };
}

/** Like debugpy, it runs the program when a client says so, and ends when its last client goes. */
const DEBUGPY = `
const at = process.argv.indexOf('--listen') + 1;
let clients = 0;
if (at === 0) import('./server.mjs');
else require('node:net').createServer(client => {
  clients++;
  client.once('data', () => import('./server.mjs'));
  client.on('error', () => {}).on('close', () => --clients || process.exit(1));
}).listen(process.argv[at].split(':')[1], '127.0.0.1');
`;

/** An entry whose program is `python` in the folder. */
const PYTHON = { dev: { debug: 'python' }, args: ['python', 'x.py'] };

describe('a server under a debugger', () => {
  let folder: string;
  let host: TestHost;
  let subject: ServerDebugger;
  let attached: TestDebugger | undefined;
  let attachWith: ((port: number) => Promise<DebugSession>) | undefined;
  let configurations: AttachConfiguration[];
  let logged: string[];
  let refuses: boolean;
  let startsAgain: boolean;
  /** The end of the program is seen before that of the debugger. */
  let seesNoEnd: boolean;
  let patienceMs: number | undefined;
  let pauses: boolean;
  let hangs: boolean;
  let hanging: PromiseWithResolvers<undefined>;
  let refusal: Admission | undefined;

  beforeEach(async () => {
    folder = temporaryFolder();
    await writeFile(join(folder, 'server.mjs'), OWN_SERVER);
    await writeFile(join(folder, 'tools.json'), JSON.stringify([tool('a')]));
    attached = undefined;
    attachWith = undefined;
    configurations = [];
    logged = [];
    refuses = false;
    startsAgain = true;
    seesNoEnd = false;
    patienceMs = undefined;
    pauses = false;
    hangs = false;
    hanging = Promise.withResolvers();
    refusal = undefined;
    subject = new ServerDebugger({
      attach: async (configuration, { paused }) => {
        configurations.push(configuration);
        if (refuses) return undefined;
        if (pauses) paused(true);
        if (hangs) return hanging.promise;
        const { connect: to } = configuration as { connect?: { port: number } };
        if (to && attachWith) return attachWith(to.port);
        attached = to ? await attachTo(to.port) : await attach(Number(configuration.port));
        if (!seesNoEnd) return attached;
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        return { ended, end };
      },
      changed: () => {},
      log: (_server, text) => logged.push(text),
      debugpyFolder: inRepository('media', 'debugpy'),
      get startsAgain() {
        return startsAgain;
      },
      get patienceMs() {
        return patienceMs;
      },
    });
    const consent: LaunchCheck = { admit: (_, entry) => refusal ?? { entry } };
    // Whatever has a limit is slow.
    host = new TestHost({ launch: freely.launch.with({ consent, last: subject }) }, { slowStartMs: 1 });
  });
  afterEach(async () => {
    await host.close();
  });

  async function begin(more: object = {}): Promise<ServerConnection> {
    const run = { command: process.execPath, args: ['server.mjs'], cwd: folder, env: { ELECTRON_RUN_AS_NODE: '1' } };
    host.configure({ own: { ...run, ...more } });
    return host.loads('own');
  }

  function debug(server: ServerConnection) {
    const { entry } = server.definition;
    assert.ok(entry?.type === 'stdio');
    return subject.debug(server, debugWay(entry));
  }
  const isAttached = () => waitFor(() => attached, { what: 'the debugger to be attached' });
  /** A server whose program the debugger lets run. `over` resolves when it is no longer debugged. */
  async function debugged(more: object = {}) {
    const server = await begin(more);
    const over = debug(server);
    (await isAttached()).run();
    await host.reaches('own', 'ready');
    return { server, over };
  }
  /** The debugger goes, and the server runs without it. */
  async function leaves(over: ReturnType<typeof debug>) {
    attached!.end();
    assert.equal(await over, undefined);
    await host.loads('own');
  }

  const starts = () => host.logs.flatMap(({ data }) => /^starting: (.*)/.exec(String(data))?.[1] ?? []);
  const failures = () => host.logs.flatMap(({ level, data }) => (level === 'error' ? [String(data)] : []));
  const said = (problem: Awaited<ReturnType<typeof debug>>) => problem && english(problem);

  it('waits for it, has no time limits, and later runs without it', async () => {
    // No answer comes in one millisecond, which is the limit of all requests.
    const server = await begin({ dev: { debug: 'node' }, timeouts: { startMs: 20_000, requestMs: 1, toolCallMs: 1 } });
    const before = host.pid('own');
    const over = debug(server);
    await isAttached();
    assert.deepEqual(server.state, { kind: 'starting', isSlow: false }, 'its program does not run yet');
    assert.ok(subject.isDebugged(server));
    const early = raw(server).callTool(tool('a') as Tool, {});
    attached!.run();
    await host.loads('own');
    assert.equal((await early).isError, undefined, 'it waited for the start');
    assert.deepEqual(
      server.catalog.tools.map(({ name }) => name),
      ['a'],
    );
    assert.equal((await raw(server).callTool(server.catalog.tools[0]!, {})).isError, undefined);
    const [{ port, ...configuration }] = configurations as [AttachConfiguration];
    assert.ok(Number(port) > 1023);
    const slashed = folder.replaceAll('\\', '/');
    assert.deepEqual(configuration, {
      ...{ type: 'node', name: 'own', request: 'attach', address: '127.0.0.1', cwd: folder },
      ...{ skipFiles: ['<node_internals>/**'], continueOnAttach: true },
      outFiles: [`${slashed}/**/*.(m|c|)js`, '!**/node_modules/**'],
      resolveSourceMapLocations: [`${slashed}/**`, '!**/node_modules/**'],
    });
    const debugged = host.pid('own');
    attached!.end();
    assert.equal(await over, undefined);
    await waitFor(() => server.state.kind === 'ready' && host.pid('own') !== debugged, { what: 'it runs without' });
    assert.notEqual(debugged, before);
    assert.ok(!subject.isDebugged(server));
    assert.deepEqual(starts().slice(1), ['you are debugging it', 'it is no longer debugged']);
  });

  it('runs even if the attached debugger does not resume it', async () => {
    const server = await begin();
    patienceMs = 1;
    const over = debug(server);
    await isAttached();
    await host.reaches('own', 'ready');
    assert.deepEqual(logged, ['its program has waited for the debugger for 0.001 s: it is told to run']);
    assert.ok(subject.isDebugged(server));
    await leaves(over);
  });

  it('runs even if attaching never completes', async () => {
    const server = await begin();
    patienceMs = 1;
    hangs = true;
    const over = debug(server);
    await waitFor(() => configurations.length === 1, { what: 'the debugger to be asked' });
    await host.reaches('own', 'ready');
    await server.stop('a person');
    hanging.resolve(undefined);
    assert.equal(await over, undefined);
  });

  it('stays paused where the debugger reports a pause', async () => {
    patienceMs = 1;
    pauses = true;
    const { over } = await debugged();
    assert.deepEqual(logged, []);
    await leaves(over);
  });

  it('resumes from a pause at its start that the debugger does not report', async () => {
    // It is resumed here, and not by the subject, when a busy machine is slow.
    patienceMs = 600_000;
    const server = await begin();
    const over = debug(server);
    await isAttached();
    attached!.send('Debugger.enable');
    attached!.run();
    await waitFor(() => /"Debugger\.paused".*"Break on start"/s.test(attached!.told()), { what: 'the pause' });
    const ends = new AbortController();
    const port = Number(configurations[0]!.port);
    try {
      // What the person sees is left to the person.
      let asked = false;
      void letRun(port, () => (asked = true), ends.signal);
      await waitFor(() => asked, { what: 'the pause to be seen again' });
      assert.doesNotMatch(attached!.told(), /"Debugger\.resumed"/);
      void letRun(port, () => false, ends.signal);
      await host.reaches('own', 'ready');
    } finally {
      ends.abort();
    }
    await leaves(over);
  });

  it('keeps a debugpy that ends with its last client until a debugger is attached', async () => {
    await writeFile(join(folder, 'python'), DEBUGPY);
    const { server, over } = await debugged(PYTHON);
    await leaves(over);
    assert.ok(!subject.isDebugged(server));
  });

  it('starts without a debugger when none attaches', async () => {
    const server = await begin();
    refuses = true;
    assert.equal(said(await debug(server)), 'the debugger did not attach');
    await host.loads('own');
    assert.equal(starts().at(-1), 'it is no longer debugged');
  });

  it('stays stopped when a person stops it, and ends the debugger', async () => {
    const { server, over } = await debugged();
    await server.stop('a person');
    assert.equal(await over, undefined);
    assert.ok(attached!.socket.destroyed);
    assert.equal(server.state.kind, 'stopped');
  });

  it('is started once without a debugger when its process ends @serverDebugger.started-once-debugger', async () => {
    const { server, over } = await debugged();
    process.kill(host.pid('own'), 'SIGKILL');
    assert.equal(await over, undefined);
    await host.loads('own');
    assert.deepEqual(starts().slice(1), ['you are debugging it', 'it is no longer debugged']);
    assert.equal(configurations.length, 1);
    assert.equal(server.vitals.restarts, 0);
    assert.deepEqual(failures(), [], 'a debugger may have ended it');
  });

  it('is started once without a debugger when its process ends early, and then may fail', async () => {
    // A Node with an inspector would wait for the debugger before it ends.
    await writeFile(join(folder, 'python'), DEBUGPY);
    const server = await begin(PYTHON);
    seesNoEnd = true;
    const over = debug(server);
    await isAttached();
    await writeFile(join(folder, 'tools.json'), 'nonsense');
    attached!.run();
    assert.equal(await over, undefined);
    await host.reaches('own', 'failed');
    assert.deepEqual(starts().slice(1), ['you are debugging it', 'it is no longer debugged']);
    assert.equal(failures().length, 1);
    assert.match(failures()[0]!, /could not start: .*not valid JSON.* \(its process exited with code 1\)/);
  });

  it('is not restarted when only this launch was to be debugged', async () => {
    startsAgain = false;
    const server = await begin();
    const called: string[] = [];
    const over = subject.debug(server, debugWay(server.definition.entry as ProgramEntry)!, 'own: a test', () =>
      called.push('attached'),
    );
    await waitFor(() => called.length === 1, { what: 'the debugger to be attached' });
    assert.equal(configurations[0]!.name, 'own: a test');
    attached!.run();
    await host.reaches('own', 'ready');
    attached!.end();
    assert.equal(await over, undefined);
    assert.deepEqual(starts().slice(1), ['you are debugging it']);
    assert.equal(server.state.kind, 'ready');
  });

  it('in Python gets a debugger of its own when only this launch is debugged, as for a test', async () => {
    startsAgain = false;
    await writeFile(join(folder, 'python'), DEBUGPY);
    const server = await begin(PYTHON);
    const over = subject.debug(server, debugWay(server.definition.entry as ProgramEntry)!, 'own: a test');
    await isAttached();
    const [{ connect: to, ...configuration }] = configurations as [AttachConfiguration];
    assert.deepEqual(configuration, { type: 'debugpy', name: 'own: a test', request: 'attach' });
    assert.equal((to as { host: string }).host, '127.0.0.1');
    assert.equal(server.state.kind, 'starting', 'its program does not run yet');
    attached!.run();
    await host.reaches('own', 'ready');
    await server.stop('a person');
    assert.equal(await over, undefined);
    assert.deepEqual(starts().slice(1), ['you are debugging it']);
  });

  it('fails when its process ends and only this launch was to be debugged', async () => {
    startsAgain = false;
    const { over } = await debugged();
    process.kill(host.pid('own'), 'SIGKILL');
    assert.equal(await over, undefined);
    await host.reaches('own', 'reconnecting');
    assert.equal(failures().length, 1);
  });

  /** Stands for uv: it starts Python with the last argument. */
  const UV = `
    const { spawnSync } = require('node:child_process');
    const { status } = spawnSync(process.env.PYTHON, [process.argv.at(-1)], { stdio: 'inherit' });
    process.exit(status ?? 1);`;

  const PYTHON_SERVER = `
import json, os, subprocess, sys

def answer(request):
    method = request["method"]
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "own", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}
    child = subprocess.run([sys.executable, "-c", "print(1)"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    seen = [child.stdout.strip(), os.environ.get("PYTHONPATH"), "sitecustomize" in sys.modules]
    return {"content": [{"type": "text", "text": json.dumps(seen)}]}  # here

for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer(request)}), flush=True)
`;

  it('stops in the Python that uv starts, and no child process of it waits', async function () {
    const python = pythonWithDebugpy();
    if (python === undefined) this.skip(); // no Python here has debugpy; docs/platforms.md says when this ran
    this.timeout(60_000);
    await writeFile(join(folder, 'uv'), UV);
    await writeFile(join(folder, 'server.py'), PYTHON_SERVER);
    const hides = join(folder, 'hidden');
    await mkdir(hides);
    await writeFile(join(hides, 'sitecustomize.py'), 'import sys; print("the hidden one", file=sys.stderr)');
    const env = { ELECTRON_RUN_AS_NODE: '1', PYTHON: python, PYTHONPATH: hides };
    const args = ['uv', 'run', '--script', 'server.py'];
    const server = await begin({ dev: { debug: 'python' }, args, env });
    let client: DebugClient | undefined;
    const line = PYTHON_SERVER.split('\n').findIndex(text => text.includes('# here')) + 1;
    attachWith = async port => {
      client = await DebugClient.attach(port, join(folder, 'server.py'), line);
      return client;
    };
    const over = debug(server);
    await waitFor(() => client, { what: 'the debugger to be attached' });
    const [a] = (await host.loads('own')).catalog.tools;
    const call = raw(server).callTool(a!, {});
    assert.equal(await client!.stoppedAt(), line);
    await client!.resume();
    const [block] = (await call).content;
    assert.deepEqual(JSON.parse(block?.type === 'text' ? block.text : ''), ['1', hides, true]);
    assert.match(host.logs.map(({ data }) => String(data)).join('\n'), /the hidden one/);
    client!.end();
    assert.equal(await over, undefined);
    await host.loads('own');
  });

  it('names the setting when no debugger is known for its program', async () => {
    const server = await begin();
    assert.equal(
      said(await subject.debug(server, undefined)),
      'no debugger is known for it. Name one in "dev.debug" of its entry.',
    );
    assert.equal(server.state.kind, 'ready');
  });

  it('reports an end before attaching, and a missing debugpy', async () => {
    const server = await begin({ dev: { debug: 'python' }, args: ['server.mjs'] });
    assert.equal(said(await debug(server)), 'no Python is named in its command line');
    // Stands for a Python: it is told by its name, and gets what would be Python's.
    await writeFile(
      join(folder, 'python'),
      `if (process.argv.includes('debugpy')) { console.error("python: No module named debugpy"); process.exit(1); }
      import('./server.mjs');`,
    );
    assert.equal(
      said(await debug(await begin(PYTHON))),
      'its Python lacks debugpy. Install it there: python -m pip install debugpy',
    );
    assert.equal(configurations.length, 0);
    await host.loads('own');
  });

  it('reports a program that waits for no debugger', async () => {
    await writeFile(join(folder, 'python'), `import('./server.mjs');`);
    await begin(PYTHON);
    const server = await begin({ ...PYTHON, timeouts: { startMs: 1 } });
    assert.equal(said(await debug(server)), 'its program did not wait for a debugger within 0.001 s');
    assert.equal(configurations.length, 0);
    assert.ok(!subject.isDebugged(server));
  });

  it('is not launched without admission, and not debugged when admitted later', async () => {
    const server = await begin();
    refusal = { needs: 'needsTrust', reason: 'it needs approval', remedy: 'Approve it.' };
    assert.equal(said(await debug(server)), 'it is not running: it needs approval');
    assert.equal(server.state.kind, 'needsTrust');
    refusal = undefined;
    await server.start('it was approved');
    assert.equal(server.state.kind, 'ready');
    assert.equal(configurations.length, 0);
  });

  it('is admitted unchanged for other callers @serverDebugger.admitted-unchanged', async () => {
    const server = await begin();
    const entry = server.definition.entry!;
    assert.deepEqual(subject.admit(server.definition, entry, 'server'), { entry });
  });
});
