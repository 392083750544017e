import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { listen, localServer, onLoopback } from '../../../../src/base/localServer';
import { english } from '../../../../src/base/phrase';
import { resolveDefinitions } from '../../../../src/host/definitions';
import { parseServers } from '../../../../src/host/settings';
import { freePort } from '../../../servers/freePort';
import { processIsAlive, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { fixture, TestHost } from '../testHost';

const served = (...flags: string[]) => ({
  ...fixture('served', '--port=${port}', ...flags),
  url: 'http://127.0.0.1:${port}/mcp',
});

describe('a program that is reached at an address', () => {
  let test: TestHost;
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  /** Why a program fails whose port is that of a server. */
  async function failureAtPortOf(other: Server) {
    await listen(other, onLoopback());
    try {
      const { port } = other.address() as AddressInfo;
      test.configure({ one: { ...fixture('served', `--port=${port}`), url: `http://127.0.0.1:${port}/mcp` } });
      return (await test.reaches('one', 'failed')).error;
    } finally {
      other.close();
    }
  }

  it('is started, at a free port of its own, and ended with its server', async () => {
    test.configure({ one: served(), two: served() });
    const [one, two] = await Promise.all([test.loads('one'), test.loads('two')]);
    assert.deepEqual([one.info?.transport, two.info?.transport], ['http', 'http']);
    assert.ok(one.catalog.tools.length > 0);
    const pids = [test.pid('one'), test.pid('two')];
    assert.notEqual(pids[0], pids[1]);
    await one.stop('test');
    await test.close();
    assert.deepEqual(pids.map(processIsAlive), [false, false]);
  });

  it('has what it prints in its log, and nothing of that is a message', async () => {
    test.configure({ one: served() });
    await test.loads('one');
    assert.ok(test.logged(/^Loading models…$/));
    assert.ok(!test.logged(/not an MCP message/));
  });

  it('is waited for, also while what stands before it answers that it is not there yet', async () => {
    test.configure({ one: served('--busy=5') });
    await test.loads('one');
  });

  it('is ended when it does not notice the end of its input', async () => {
    test.configure({ deaf: served('--deaf') });
    const server = await test.loads('deaf');
    const pid = test.pid('deaf');
    await server.stop('test');
    assert.equal(processIsAlive(pid), false);
  });

  it('restarts at another port when it ends', async () => {
    test.configure({ mortal: served() });
    await test.loads('mortal');
    const pid = test.pid('mortal');
    process.kill(pid, 'SIGKILL');
    const { error } = await test.reaches('mortal', 'reconnecting');
    assert.equal(error.code, 'EXITED');
    const server = await test.loads('mortal');
    assert.notEqual(test.pid('mortal'), pid);
    await raw(server).callTool(server.catalog.tools[0]!, { text: 'again' });
  });

  it('that ends before it listens fails with what it printed last', async () => {
    test.configure({ broken: served('--exit=3') });
    const { error } = await test.reaches('broken', 'failed');
    assert.match(error.message, /"broken" could not start: .*licence has expired .*exited with code 3/);
  });

  it('that never listens fails when its time is over, and is ended', async () => {
    test.configure({ mute: { ...served('--mute'), timeouts: { startMs: 3_000 } } });
    const { error } = await test.reaches('mute', 'failed');
    assert.equal(error.code, 'TIMEOUT');
    await waitFor(() => test.server('mute').vitals.lastExit !== undefined, { what: 'its end' });
  });

  const OTHERS: { readonly [what: string]: (asked: () => void) => Server } = {
    answers: asked =>
      localServer((_request, response) => {
        asked();
        response.end('hello');
      }),
    'says that it is not there yet': asked =>
      localServer((_request, response) => {
        asked();
        response.writeHead(503).end();
      }),
    'speaks no HTTP': () => createServer(socket => socket.destroy()),
    'says nothing': () => createServer(socket => socket.on('error', () => {}).unref()),
  };
  for (const [what, other] of Object.entries(OTHERS))
    it(`is not started where something else ${what}, which would get what is meant for it @servedProgram.started-something-else`, async () => {
      let asked = 0;
      const error = await failureAtPortOf(other(() => asked++));
      assert.match(error.message, /something else answers at its address .* already/);
      assert.match(english(error.phrases.remedy!), /\$\{port\}/);
      assert.equal(asked, 0);
    });

  it('may have a port that its entry says', async () => {
    const port = await freePort();
    test.configure({ one: { ...fixture('served', '--port', String(port)), url: `http://localhost:${port}/mcp` } });
    assert.equal((await test.loads('one')).info?.transport, 'http');
  });
});

describe('an entry with a command and an address', () => {
  const problems = (entry: object) => parseServers({ one: entry }).servers[0]!.problems.map(({ message }) => message);

  it('has one of this machine, over HTTP', () => {
    for (const url of ['http://localhost:8000/mcp', 'http://127.0.0.1:${port}/mcp', 'http://[::1]:8/', '${env:URL}'])
      assert.deepEqual(problems({ command: 'x', url }), [], url);
    for (const url of [
      'https://example.com/mcp',
      'http://10.0.0.1/',
      'https://localhost/',
      'unix:///x#/y',
      'http://u:p@localhost/',
    ])
      assert.match(english(problems({ command: 'x', url })[0]!), /not an address of this machine/, url);
  });

  it('is what its type says, where it says one', () => {
    const kind = (type: string) =>
      parseServers({ one: { type, command: 'x', url: 'http://localhost:1/' } }).servers[0]!.entry;
    assert.equal((kind('stdio') as { url?: string }).url, undefined);
    assert.equal(kind('http')?.type, 'http');
  });

  it('knows the variable of the port only where the address has it', () => {
    const of = (entry: object) =>
      resolveDefinitions([
        {
          source: { scope: 'user' },
          value: { one: entry },
          variables: { workspaceFolders: {}, userHome: '/', env: () => undefined, config: () => undefined },
        },
      ]).definitions[0]!;
    assert.deepEqual(of({ command: 'x', args: ['${port}'], url: 'http://localhost:${port}/' }).problems, []);
    assert.equal(of({ command: 'x', args: ['${port}'] }).problems[0]?.code, 'unknownVariable');
    assert.equal(
      of({ command: 'x', args: ['${port}'], url: 'http://localhost:1/' }).problems[0]?.code,
      'unknownVariable',
    );
  });

  it('is checked once more when its variables are known', () => {
    const [definition] = resolveDefinitions([
      {
        source: { scope: 'user' },
        value: { one: { command: 'x', url: '${env:URL}' } },
        variables: { workspaceFolders: {}, userHome: '/', env: () => 'https://example.com/', config: () => undefined },
      },
    ]).definitions;
    assert.match(english(definition!.problems[0]!.message), /not an address of this machine/);
  });
});
