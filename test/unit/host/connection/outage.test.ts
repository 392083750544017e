import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import { HostError, type HostErrorOptions } from '../../../../src/base/errors';
import { phrase } from '../../../../src/base/phrase';
import type { ServerConnection } from '../../../../src/host';
import { type Restart, Restarts } from '../../../../src/host/connection/restarts';
import { freePort } from '../../../servers/freePort';
import { type Relay, relayPort } from '../../../servers/relay';
import { type HttpFixture, startHttpFixture, startHttpServer, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { TestHost } from '../testHost';

const echo: Tool = { name: 'echo', inputSchema: { type: 'object' } };
const AGAIN = phrase('somebody wants it');
/** After some failures it counts as down, and is not tried for a while. */
const RESTART = { minMs: 1, maxMs: 3_600_000, failures: 8, withinMs: 60_000 };
const SOON = { ...RESTART, maxMs: 100 };

describe('a remote server that is down', () => {
  let http: HttpFixture;
  let relay: Relay | undefined;
  let port = 0;
  let test: TestHost;
  before(async () => {
    http = await startHttpFixture();
  });
  after(() => http.stop());
  beforeEach(async () => {
    port = await freePort();
    relay = undefined;
  });
  afterEach(async () => {
    await test.close();
    await down();
  });

  const up = async () => {
    relay = await relayPort(http.port, port);
  };
  const down = async () => {
    await relay?.close();
    relay = undefined;
  };
  const configure = (path = '/sse', entry: object = { type: 'sse' }) =>
    test.configure({ far: { ...entry, url: `http://127.0.0.1:${port}${path}` } });
  /** Resolves when it is so long down that requests no longer wait for it. */
  const isDown = (server: ServerConnection) =>
    waitFor(() => server.state.kind === 'reconnecting' && server.state.isDown, {
      what: () => `it to be down; it is ${JSON.stringify(server.state)}`,
    });
  const breaks = async (restart = RESTART): Promise<ServerConnection> => {
    test = new TestHost({}, { restart });
    await up();
    configure();
    const server = await test.loads('far');
    await down();
    await isDown(server);
    return server;
  };

  it('says since when, why, and that it is tried again; what it listed last stays offered @outage.since-why-tried', async () => {
    const server = await breaks();
    const { state } = server;
    assert.ok(state.kind === 'reconnecting');
    assert.match(
      state.error.message,
      /"far" could not go on: not reachable for \d+ s: cannot reach http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)\. It is tried again when it is used/,
    );
    assert.ok(server.offers('tools').some(({ name }) => name === 'echo'));
    assert.ok(server.isUsable);
  });

  it('is tried as long as the window lives, and comes back @outage.tried-long-window', async () => {
    const server = await breaks(SOON);
    await up();
    await test.reaches('far', 'ready');
    assert.equal(server.state.kind, 'ready');
  });

  it('is tried at once by a call, which is answered @outage.tried-once-call', async () => {
    const server = await breaks();
    await up();
    // The first may join an attempt that began before it was up.
    const answer = await waitFor(() => raw(server).callTool(echo, { text: 'hello' }), { what: 'an answer' });
    assert.deepEqual(answer.content, [{ type: 'text', text: 'hello' }]);
  });

  it('is tried at once by a call, which fails with the reason when it still is', async () => {
    const server = await breaks();
    await assert.rejects(raw(server).callTool(echo, {}), {
      code: 'NOT_READY',
      message: /could not call echo: not reachable for .*ECONNREFUSED.*It is tried again when it is used/,
    });
    assert.equal(server.state.kind, 'reconnecting');
  });

  it('is tried at once when a person wants it, and shows that', async () => {
    const server = await breaks();
    await up();
    // One that has failed in this very moment, by itself, is not tried again in the same.
    const isTried = () => {
      server.retry(AGAIN);
      return server.state.kind === 'starting';
    };
    await waitFor(isTried, { what: 'it to be tried' });
    await test.reaches('far', 'ready');
  });

  it('is not tried any more after it was stopped', async () => {
    const server = await breaks(SOON);
    await server.stop('test');
    server.retry(AGAIN);
    assert.equal(server.state.kind, 'stopped');
  });

  it('stays failed when a person has to do something', async () => {
    const server = await breaks(SOON);
    const refusing = await startHttpServer('http', ['--refuse']);
    try {
      relay = await relayPort(refusing.port, port);
      const { error } = await test.reaches('far', 'failed');
      assert.equal(error.code, 'FORBIDDEN');
      server.retry(AGAIN);
      assert.equal(server.state.kind, 'failed');
    } finally {
      await refusing.stop();
    }
  });

  it('when its window opens fails, and is connected once it is there', async () => {
    test = new TestHost({}, { restart: SOON });
    configure('/mcp', {});
    const { error } = await test.reaches('far', 'failed');
    assert.equal(error.code, 'UNREACHABLE');
    await up();
    await test.reaches('far', 'ready');
  });

  it('of one that never was, whose address is wrong, is not tried again', async () => {
    test = new TestHost({}, { restart: SOON });
    await up();
    configure('/404', {});
    await test.reaches('far', 'failed');
    await http.forgetRequests();
    test.server('far').retry(AGAIN);
    assert.equal(test.server('far').state.kind, 'failed');
  });
});

describe('the restarts of a remote server', () => {
  it('are planned unless a person has to act', () => {
    const plans = (problem: Partial<HostErrorOptions>) => {
      const restarts = new Restarts(
        { isRemote: () => true, launch: () => assert.fail(), error: () => assert.fail() },
        SOON,
      );
      const error = new HostError({ code: 'UNREACHABLE', server: 'far', action: 'go on', reason: 'x', ...problem });
      const state = restarts.after(error);
      restarts.cancel();
      return state !== undefined;
    };
    for (const code of ['CERTIFICATE', 'FORBIDDEN', 'UNAUTHORIZED', 'PROTOCOL'] as const)
      assert.ok(!plans({ code }), code);
    for (const code of ['UNREACHABLE', 'TIMEOUT', 'CLOSED', 'HTTP_STATUS', 'NOT_MCP', 'SESSION_LOST'] as const)
      assert.ok(plans({ code }), code);
    assert.ok(plans({ code: 'PROTOCOL', rpcError: { code: -32_603, message: 'x' } }));
  });

  it('are immediate after a session that lasted was forgotten, and wait otherwise', () => {
    let now = 0;
    const waits = () => {
      const error = new HostError({ code: 'SESSION_LOST', server: 'far', action: 'go on', reason: 'x' });
      const server = { isRemote: () => true, launch: () => {}, error: () => assert.fail() };
      const restarts = new Restarts(server, { ...SOON, minMs: 1_000, maxMs: 60_000 }, { now: () => now });
      restarts.ready();
      now += 60_000;
      const first = restarts.after(error)!.at - now;
      restarts.ready();
      now += 10;
      const second = restarts.after(error)!.at - now;
      restarts.cancel();
      return [first, second];
    };
    const [first, second = 0] = waits();
    assert.equal(first, 0);
    assert.ok(second >= 750, String(second));
  });

  it('are due as soon as the machine wakes up @outage.due-soon-machine', async () => {
    let now = 0;
    const { promise, resolve } = Promise.withResolvers<Restart>();
    const restarts = new Restarts(
      { isRemote: () => true, launch: resolve, error: () => assert.fail() },
      { minMs: 3_600_000, maxMs: 3_600_000, failures: 5, withinMs: 1 },
      { now: () => now, lookMs: 10 },
    );
    const error = Object.assign(new Error('gone'), { code: 'UNREACHABLE' }) as never;
    assert.ok(restarts.after(error));
    now = 3_600_000;
    assert.equal((await promise).after, error);
    restarts.cancel();
  });
});
