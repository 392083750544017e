import assert from 'node:assert/strict';
import { relayPort } from '../../../servers/relay';
import { startHttpServer, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { HttpTest } from '../httpHost';

describe('an answer over HTTP', () => {
  let test: HttpTest;
  before(() => {
    test = new HttpTest();
  });
  afterEach(() => test.renew());
  after(() => test.close());

  for (const [what, flag, message] of [
    [
      'with status 500',
      '--http-status=tools/call,500',
      /answered with HTTP 500: no\. Check the URL, and check that the server/,
    ],
    ['with status 422', '--http-status=tools/call,422', /answered with HTTP 422: no\. Check the URL/],
    ['with status 403', '--http-status=tools/call,403', /refuses access \(HTTP 403\): no\. Add credentials/],
    ['with status 403 and a JSON-RPC error', '--http-error=tools/call,403', /\(HTTP 403\): the disk is full\. Add/],
    ['with status 404', '--http-status=tools/call,404', /it no longer knows the session\. It was not carried out\./],
    [
      'with status 202',
      '--http-status=tools/call,202',
      /accepted the request \(HTTP 202\) without answering it\. This is/,
    ],
    ...[400, 500].map(
      status =>
        [
          `with status ${status} and a JSON-RPC error`,
          `--http-error=tools/call,${status}`,
          new RegExp(`answered with error -32050, the disk is full \\(HTTP ${status}\\)`),
        ] as const,
    ),
    [
      'of another type',
      '--http-type=tools/call,text/plain',
      /not follow the specification \(.*text\/plain\)\. This is a/,
    ],
    [
      'that is a web page, as of a captive portal,',
      '--http-type=tools/call,text/html',
      /returned a web page, not MCP\. The network or a proxy may want you to sign in/,
    ],
    ['to another request', '--http-other-id=tools/call', /messages that do not belong to the request\. This is a bug/],
    [
      'that breaks off after its headers',
      '--http-cut=tools/call,headers',
      /its response was cut off before the result/,
    ],
    ['that breaks off within an event', '--http-cut=tools/call,event', /its response was cut off before the result/],
    ['that breaks off after progress', '--http-cut=tools/call,progress', /its response was cut off before the result/],
    [
      'that ends without the result',
      '--http-end=tools/call',
      /its response ended before .* check before you try again/,
    ],
  ] as const) {
    it(`${what} fails immediately with the reason @httpAnswers.fails-immediately-reason`, async function () {
      this.timeout(60_000);
      const error = await test.failure([flag]);
      assert.match(error.message, /^MCP server "bad" could not call echo: it/);
      assert.match(error.message, message);
      assert.notEqual(error.code, 'TIMEOUT');
    });
  }

  for (const coding of [undefined, 'gzip', 'br', 'deflate']) {
    for (const form of ['json', 'event']) {
      it(`that is too large fails immediately with the reason (${form}, ${coding ?? 'as it is'})`, async () => {
        test.limits = { messageBytes: 4 * 1024 * 1024 };
        const large = ['tools/call', '8', form, ...(coding ? [coding] : [])];
        const error = await test.failure([`--http-large=${large}`]);
        assert.match(
          error.message,
          /^MCP server "bad" could not call echo: it sent a message of more than 4194304 bytes/,
        );
        assert.match(error.message, /Request less/);
        assert.equal(error.code, 'TOO_LARGE');
      });
    }
  }

  for (const coding of ['gzip', 'br', 'deflate']) {
    for (const form of ['json', 'event']) {
      it(`is decompressed (${form}, ${coding}) @httpAnswers.decompressed`, async () => {
        await test.start([`--http-large=tools/call,1,${form},${coding}`]);
        await test.host.loads('bad');
        assert.equal(await test.call(), 'x'.repeat(1024 * 1024));
      });
    }
  }

  it('with early hints before it and trailers after it is read @httpAnswers.early-hints-trailers', async () => {
    await test.start(['--http-hints=tools/call']);
    await test.host.loads('bad');
    for (let i = 0; i < 3; i++) assert.equal(await test.call(), 'hinted');
  });

  it('over HTTP/1.0, without a length and closed after each answer, is read @httpAnswers.http-1-0', async () => {
    await test.start(['--http-1.0=tools/call']);
    await test.host.loads('bad');
    for (let i = 0; i < 3; i++) assert.equal(await test.call(), 'old');
    await test.others();
  });

  it('with broken or invalid compression fails immediately @httpAnswers.broken-invalid', async () => {
    const error = await test.failure(['--http-coding=tools/call,gzip']);
    assert.match(error.message, /could not call echo: its response was cut off/);
  });

  it('reuses connections', async () => {
    const server = await startHttpServer('hostile', ['--http']);
    const relay = await relayPort(server.port);
    test.host.configure({ bad: { url: relay.url('/mcp') } });
    await test.host.loads('bad');
    const before = relay.connections;
    for (let i = 0; i < 20; i++) await test.call();
    assert.ok(relay.connections - before <= 1, `${relay.connections - before} new connections for 20 calls`);
    await relay.close();
    await server.stop();
  });

  it('beyond the limit is read only up to it @httpAnswers.beyond-limit-read', async function () {
    this.timeout(60_000);
    const server = await test.start(['--http-large=tools/call,100000,json']);
    await test.host.loads('bad');
    const before = process.memoryUsage().rss;
    await assert.rejects(test.call(), { code: 'TOO_LARGE', message: /more than 67108864 bytes/ });
    assert.ok(process.memoryUsage().rss - before < 500e6);
    await waitFor(() => server.stderr.some(line => line.includes('let go')), { what: 'the connection to be let go' });
    assert.equal(test.host.server('bad').state.kind, 'ready');
  });

  it("that trickles is given up at the request's limit, and its connection is closed @httpAnswers.trickles-given-request", async () => {
    const server = await test.start(['--http-trickle=tools/call'], { timeouts: { toolCallMs: 300 } });
    await test.host.loads('bad');
    await assert.rejects(test.call(), /"bad" could not call echo: no answer within 0\.3 s.*"toolCallMs"/);
    await waitFor(() => server.stderr.some(line => line.includes('let go')), { what: 'the trickle to be let go' });
    await test.others();
  });

  it("that never begins is given up at the request's limit", async () => {
    await test.start(['--hang-at=tools/call'], { timeouts: { toolCallMs: 300 } });
    await test.host.loads('bad');
    await assert.rejects(test.call(), { code: 'TIMEOUT' });
    await test.others();
  });

  it('that the person no longer waits for has its connection closed', async () => {
    const server = await test.start(['--http-trickle=tools/call']);
    const connection = await test.host.loads('bad');
    const abort = new AbortController();
    const call = raw(connection).callTool(
      { name: 'echo', inputSchema: { type: 'object' } },
      {},
      { signal: abort.signal },
    );
    // It was sent after the call: the call is on its way.
    await raw(connection).request('ping', client => client.ping());
    abort.abort();
    await assert.rejects(call, { code: 'CANCELLED' });
    await waitFor(() => server.stderr.some(line => line.includes('let go')), { what: 'the connection to be let go' });
  });

  describe('of a bridge such as supergateway, which sends everything on the stream of the oldest unanswered request', () => {
    const slow = { name: 'slow', inputSchema: { type: 'object' as const } };

    /** Makes a call and cancels it after its stream has begun. */
    async function cancelled(): Promise<void> {
      const connection = test.host.server('bad');
      const abort = new AbortController();
      const call = raw(connection).callTool(slow, {}, { signal: abort.signal });
      await raw(connection).request('ping', client => client.ping());
      abort.abort();
      await assert.rejects(call, { code: 'CANCELLED' });
    }

    it('is still read after the person has cancelled it', async () => {
      await test.start(['--http-bridge']);
      const connection = await test.host.loads('bad');
      await cancelled();
      let lists = 0;
      const watch = connection.catalog.onDidChange(kind => (lists += Number(kind === 'tools')));
      await test.call();
      await waitFor(() => lists > 0, { what: 'the tools to be listed again' });
      watch.dispose();
    });

    it('has its connection closed if ten others are open', async () => {
      const server = await test.start(['--http-bridge']);
      await test.host.loads('bad');
      for (let i = 0; i < 11; i++) await cancelled();
      await waitFor(() => server.stderr.filter(line => line.includes('let go')).length === 1, { what: 'the eleventh' });
    });
  });

  it('whose stream ended after an event id is resumed there @httpAnswers.stream-ended-event', async () => {
    await test.start(['--http-resume=tools/call']);
    await test.host.loads('bad');
    assert.equal(await test.call(), 'resumed');
  });

  it('delivers all progress that comes with it @httpAnswers.delivers-progress-comes', async () => {
    await test.start([]);
    const connection = await test.host.loads('bad');
    const steps: number[] = [];
    // Not through `callTool`, which lets ten updates a second through.
    await raw(connection).request('wait', (client, options) =>
      client.callTool(
        { name: 'wait', arguments: { ms: 5, steps: 5 } },
        { ...options, onprogress: ({ progress }) => steps.push(progress) },
      ),
    );
    assert.deepEqual(steps, [1, 2, 3, 4, 5]);
  });
});

describe('a server over HTTP that asks to wait', () => {
  let test: HttpTest;
  before(() => {
    test = new HttpTest();
  });
  afterEach(() => test.renew());
  after(() => test.close());

  for (const status of [429, 503]) {
    it(`with ${status} gets the same request again after its time, with a log line @httpAnswers.gets-request-time`, async () => {
      await test.start([`--http-status=tools/call,${status},2,0`]);
      await test.host.loads('bad');
      assert.equal(await test.call(), 'hello');
      const said = test.host.logs.filter(({ data }) => /asks to wait/.test(String(data)));
      assert.equal(said.length, 2);
      assert.match(String(said[0]?.data), new RegExp(`HTTP ${status}.*sent again in 0 s`));
    });
  }

  it('until a date gets it then @httpAnswers.date-gets', async () => {
    await test.start([`--http-status=tools/call,503,1,${new Date(Date.now() + 2_000).toUTCString()}`]);
    await test.host.loads('bad');
    assert.equal(await test.call(), 'hello');
    assert.ok(test.host.logged(/asks to wait \(HTTP 503\)/));
  });

  it('is retried three times at most', async () => {
    const error = await test.failure(['--http-status=tools/call,429,3,0']);
    assert.match(error.message, /too many requests \(HTTP 429\).*It was not carried out. Try again later/);
  });

  it('longer than the request may take, or half a minute, is not retried @httpAnswers.longer-request-take', async () => {
    const entry = { timeouts: { toolCallMs: 20_000 } };
    const error = await test.failure(['--http-status=tools/call,503,1,21'], entry);
    assert.match(error.message, /is temporarily unavailable \(HTTP 503\) and asks you to wait 21 s/);
    assert.match((await test.failure(['--http-status=tools/call,429,1,31'])).message, /asks you to wait 31 s/);
  });

  it('without a duration is not retried, because the request may have been executed', async () => {
    assert.match((await test.failure(['--http-status=tools/call,503,1'])).message, /answered with HTTP 503/);
  });

  it('is not mistaken for the older transport @httpAnswers.mistaken-older-transport', async () => {
    await test.start(['--http-status=initialize,429,9,60']);
    const { error } = await test.host.reaches('bad', 'failed');
    assert.match(
      error.message,
      /"bad" could not connect: it has too many requests \(HTTP 429\) and asks you to wait 60 s/,
    );
  });

  it('is given up when a person does not wait', async () => {
    await test.start(['--http-status=tools/call,429,9,20']);
    const connection = await test.host.loads('bad');
    const abort = new AbortController();
    const call = raw(connection).callTool(
      { name: 'echo', inputSchema: { type: 'object' } },
      {},
      { signal: abort.signal },
    );
    await waitFor(() => test.host.logged(/asks to wait/), { what: 'the wait' });
    abort.abort();
    await assert.rejects(call, { code: 'CANCELLED' });
  });
});
