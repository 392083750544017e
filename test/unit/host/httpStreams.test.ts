import assert from 'node:assert/strict';
import { type HttpFixture, startHttpFixture, waitFor } from '../../servers/spawn';
import { HttpTest } from './httpHost';
import { hostile, TestHost } from './testHost';

describe('the event stream of a server over HTTP', () => {
  let test: HttpTest;
  beforeEach(() => {
    test = new HttpTest();
  });
  afterEach(() => test.close());

  it('is opened again when it ends, with longer and longer pauses, and the server stays ready', async () => {
    const server = await test.start(['--http-get-ends']);
    await test.host.loads('bad');
    const gets = () => server.stderr.filter(line => /GET \d/.test(line)).length;
    await waitFor(() => gets() >= 4, { what: 'the fourth GET' });
    // The pauses were 30, 60 and 120 ms, so far.
    assert.ok(gets() < 8, `${gets()} times`);
    assert.equal(await test.call(), 'hello');
    assert.equal(test.host.server('bad').state.kind, 'ready');
    const said = test.host.logs.filter(({ data }) => /event stream is not open and is opened again/.test(String(data)));
    assert.ok(said.length <= 3);
    await test.others();
  });

  it('that can not be opened again ends the session, and the server is connected again', async () => {
    await test.start(['--http-get-lost']);
    const { error } = await test.host.reaches('bad', 'reconnecting');
    assert.match(error.message, /"bad" could not go on: its event stream ended and could not be opened again\. Check/);
    await test.host.loads('bad');
    assert.equal(await test.call(), 'hello');
    await test.others();
  });

  it('brings 100,000 log messages without holding up anything, and none of them to the SDK', async function () {
    this.timeout(30_000);
    await test.start(['--log-flood=100000']);
    const started = performance.now();
    let lagMs = 0;
    let last = started;
    const watch = setInterval(() => {
      lagMs = Math.max(lagMs, performance.now() - last);
      last = performance.now();
    }, 1);
    const flood = () => test.host.logs.filter(({ server, source }) => server === 'bad' && source === 'server');
    await waitFor(() => flood().length === 100_000, { timeoutMs: 20_000, what: () => `${flood().length} of 100000` });
    clearInterval(watch);
    if (process.env.TEST_NUMBERS)
      console.log(`${Math.round(performance.now() - started)} ms, lag ${Math.round(lagMs)} ms`);
    assert.equal(flood().filter(({ level }) => level === 'warning' || level === 'error').length, 40_000);
    await test.others();
  });

  it('counts and reports the log messages that come faster than they can be read', async function () {
    this.timeout(30_000);
    await test.start(['--log-flood=150000']);
    const last = () => test.host.logs.some(({ server, data }) => server === 'bad' && data === 'flood 149999');
    await waitFor(last, { timeoutMs: 20_000, what: 'the last of the flood' });
    const counts = () =>
      test.host.logs.map(({ data }) =>
        Number(/left out: (\d+) log messages below "warning"/.exec(String(data))?.[1] ?? 0),
      );
    const arrived = test.host.logs.filter(({ server, source }) => server === 'bad' && source === 'server').length;
    await waitFor(() => counts().reduce((sum, n) => sum + n, 0) === 150_000 - arrived, {
      what: () => `${counts().filter(Boolean)} and ${arrived} to make 150000`,
    });
  });
});

describe('the event stream of a server over the older transport', () => {
  let http: HttpFixture;
  before(async () => {
    http = await startHttpFixture();
  });
  after(() => http.stop());

  it('ends with its server: it is connected again', async () => {
    const test = new TestHost();
    const sse = await startHttpFixture();
    try {
      test.configure({ old: { type: 'sse', url: sse.url('/sse') }, good: hostile() });
      await Promise.all([test.loads('old'), test.loads('good')]);
      await sse.stop();
      const { error } = await test.reaches('old', 'reconnecting');
      assert.match(error.message, /"old" could not go on: its event stream ended/);
      assert.equal(test.server('good').state.kind, 'ready');
    } finally {
      await test.close();
      await sse.stop();
    }
  });
});
