import assert from 'node:assert/strict';
import { phrase } from '../../../../src/base/phrase';
import { EventReader } from '../../../../src/host/reading/eventReader';
import { EventRelay } from '../../../../src/host/transport/eventStreams';
import { StandingStream } from '../../../../src/host/transport/httpStreams';
import { LogGate } from '../../../../src/host/transport/incomingMessages';
import { TransportFault } from '../../../../src/host/transport/transportFault';
import { type HttpFixture, startHttpFixture, waitFor } from '../../../servers/spawn';
import { HttpTest } from '../httpHost';
import { hostile, TestHost } from '../testHost';

describe('the event stream of a server over HTTP', () => {
  let test: HttpTest;
  before(() => {
    test = new HttpTest();
  });
  afterEach(() => test.renew());
  after(() => test.close());

  it('is reopened when it ends, with growing pauses, and the server stays ready @httpStreams.reopened-ends-growing', async () => {
    const server = await test.start(['--http-get-ends']);
    await test.host.loads('bad');
    const gets = () => server.stderr.filter(line => /GET \d/.test(line)).length;
    await waitFor(() => gets() >= 4, { what: 'the fourth GET' });
    // The pauses were 30, 60 and 120 ms, so far.
    assert.ok(gets() < 8, `${gets()} times`);
    assert.equal(await test.call(), 'hello');
    assert.equal(test.host.server('bad').state.kind, 'ready');
    const said = test.host.logs.filter(({ data }) => /event stream is closed and is opened again/.test(String(data)));
    assert.ok(said.length <= 3);
    await test.others();
  });

  it('that cannot be reopened ends the session, and the server is reconnected @httpStreams.reopened-ends-session', async () => {
    await test.start(['--http-get-lost']);
    const { error } = await test.host.reaches('bad', 'reconnecting');
    assert.match(error.message, /"bad" could not go on: its event stream ended and could not be opened again\. Check/);
    await test.host.loads('bad');
    assert.equal(await test.call(), 'hello');
    await test.others();
  });

  it('delivers 100,000 log messages without blocking, and none of them to the SDK', async function () {
    this.timeout(60_000);
    await test.start(['--log-flood=100000']);
    const started = performance.now();
    let lagMs = 0;
    let last = started;
    const watch = setInterval(() => {
      lagMs = Math.max(lagMs, performance.now() - last);
      last = performance.now();
    }, 1);
    // To count them all now and then would take the event loop longer than they do.
    const isOver = () =>
      test.host.logs.slice(-10).some(({ data }) => data === 'flood 99999' || data === 'flood 100000');
    await waitFor(isOver, { timeoutMs: 30_000, what: () => `100000 messages; there are ${test.host.logs.length}` });
    const flood = () => test.host.logs.filter(({ server, source }) => server === 'bad' && source === 'server');
    await waitFor(() => flood().length === 100_000, { what: () => `100000 messages; there are ${flood().length}` });
    clearInterval(watch);
    if (process.env.TEST_NUMBERS)
      console.log(`${Math.round(performance.now() - started)} ms, lag ${Math.round(lagMs)} ms`);
    assert.equal(flood().filter(({ level }) => level === 'warning' || level === 'error').length, 40_000);
    await test.others();
  });

  it('counts log messages that came too fast, and drops no warning', async () => {
    const levels: string[] = [];
    const leftOut: string[] = [];
    const relay = new EventRelay(
      {
        message: () => assert.fail('the SDK gets no log messages'),
        noise: assert.fail,
        log: ({ level }) => levels.push(level),
        leftOut: what => leftOut.push(what),
        wire: () => {},
      },
      onLeftOut => new LogGate(onLeftOut, 10, 0),
    );
    const log = (level: string) =>
      `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data: 'x' } })}\n\n`;
    const body = new Response((log('info') + log('error')).repeat(1_000)).body!;
    await relay.read(body, new EventReader(1_000), {});
    relay.close();
    assert.equal(levels.filter(level => level === 'info').length, 10);
    assert.equal(levels.filter(level => level === 'error').length, 1_000);
    assert.deepEqual(leftOut, ['990 log messages below "warning" that came faster than they could be read']);
  });

  it('that waits for a sign-in is not requested again', async () => {
    const said: string[] = [];
    const end = new AbortController();
    let asked = 0;
    const nothing = () => assert.fail();
    const relay = new EventRelay({
      message: nothing,
      noise: nothing,
      log: nothing,
      leftOut: nothing,
      wire: nothing,
    });
    const stream = new StandingStream({
      maxMessageBytes: 1_000,
      relay,
      signal: end.signal,
      reopen: async () => {
        asked++;
        throw new TransportFault('UNAUTHORIZED', phrase('it requires you to sign in'), phrase('Sign in.'));
      },
      passOn: nothing,
      say: what => said.push(what),
      lost: nothing,
    });
    const run = stream.run(undefined);
    await waitFor(() => said.some(what => /could not be opened/.test(what)), { what: () => said.join('\n') });
    end.abort();
    await assert.rejects(run);
    relay.close();
    assert.equal(asked, 1);
    assert.match(
      said.at(-1)!,
      /could not be opened, so its notifications and requests do not arrive: it requires you to sign in/,
    );
  });
});

describe('the event stream of a server over the older transport', () => {
  let http: HttpFixture;
  before(async () => {
    http = await startHttpFixture();
  });
  after(() => http.stop());

  it('ends with its server, which is reconnected', async () => {
    const test = new TestHost();
    const sse = await startHttpFixture();
    try {
      test.configure({ old: { type: 'sse', url: sse.url('/sse') }, good: hostile() });
      await Promise.all([test.loads('old'), test.loads('good')]);
      // It may be seen before the process is gone, and not for long.
      const [{ error }] = await Promise.all([test.reaches('old', 'reconnecting'), sse.stop()]);
      assert.match(error.message, /"old" could not go on: its event stream ended/);
      assert.equal(test.server('good').state.kind, 'ready');
    } finally {
      await test.close();
      await sse.stop();
    }
  });
});
