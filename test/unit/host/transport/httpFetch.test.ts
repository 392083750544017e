import assert from 'node:assert/strict';
import { EventRelay } from '../../../../src/host/transport/eventStreams';
import { createHttpFetch, Exchanges } from '../../../../src/host/transport/httpFetch';
import { type HttpFixture, startHttpFixture } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { HttpTest } from '../httpHost';
import { hostile, TestHost } from '../testHost';

const secrets = { Authorization: 'Bearer secret', Cookie: 'session=secret', 'X-Api-Key': 'secret' };

describe('headers of an HTTP server', () => {
  let http: HttpFixture;
  let test: TestHost;
  before(async () => {
    http = await startHttpFixture();
  });
  after(() => http.stop());
  beforeEach(async () => {
    test = new TestHost();
    await http.forgetRequests();
  });
  afterEach(() => test.close());

  const failure = async (path: string) => {
    test.configure({ bad: { url: http.url(path), headers: secrets }, good: hostile() });
    const { error } = await test.reaches('bad', 'failed');
    await test.loads('good');
    return error.message;
  };
  const elsewhere = async () => (await http.requests()).filter(({ origin }) => origin === 'other');

  for (const status of [301, 302, 303, 307, 308]) {
    it(`are not sent to another origin by a redirect with ${status}, and the error names it`, async () => {
      const message = await failure(`/redirect-other?status=${status}`);
      assert.match(
        message,
        new RegExp(
          `"bad" could not connect: its URL redirects to http://127.0.0.1:\\d+/mcp \\(HTTP ${status}\\), which`,
        ),
      );
      assert.match(message, /If that is the right server, set "url" in its settings entry to that address/);
      assert.deepEqual(await elsewhere(), []);
    });
  }

  it('are not sent there by a chain of redirects @httpOrigin.sent-chain-redirects', async () => {
    const to = encodeURIComponent(http.url('/redirect-other?status=307'));
    assert.match(await failure(`/redirect?status=307&to=${to}`), /redirects to http:\/\/127\.0\.0\.1:\d+\/mcp/);
    assert.deepEqual(await elsewhere(), []);
  });

  it("are not sent from http to https of the same host, nor are a redirect's name or password used", async () => {
    assert.match(
      await failure('/redirect?status=307&to=https://127.0.0.1/mcp?a=secret'),
      /to https:\/\/127\.0\.0\.1\/mcp \(/,
    );
    const named = encodeURIComponent(http.url('/mcp').replace('//', '//me:secret@'));
    const message = await failure(`/redirect?status=308&to=${named}`);
    assert.match(message, /redirects to http:\/\/127\.0\.0\.1:\d+\/mcp /);
    assert.ok(!message.includes('secret@'));
  });

  it('follow a redirect within the origin, unless it turns a message into a GET', async () => {
    const to = encodeURIComponent(http.url('/echo-headers'));
    test.configure({ moved: { url: http.url(`/redirect?status=308&to=${to}`), headers: secrets } });
    await test.reaches('moved', 'ready');
    const echo = await raw(test.server('moved')).callTool({ name: 'headers', inputSchema: { type: 'object' } }, {});
    assert.equal(JSON.parse((echo.content[0] as { text: string }).text)['x-api-key'], 'secret');
    assert.match(await failure(`/redirect?status=302&to=${to}`), /redirects to .*\/echo-headers \(HTTP 302\)/);
  });

  it('stop at a redirect loop @httpOrigin.stop-redirect-loop', async () => {
    const path = '/redirect?status=307&to=/redirect-again';
    test.configure({ round: { url: http.url(`/redirect?status=307&to=${encodeURIComponent(path)}`) } });
    assert.match((await test.reaches('round', 'failed')).error.message, /HTTP/);
  });

  it('are not sent to another origin in the middle of a session either @httpOrigin.sent-origin-middle', async () => {
    const session = new HttpTest();
    try {
      const flag = `--http-redirect=tools/call,307,${http.url('/mcp')}`;
      const error = await session.failure([flag], { headers: secrets });
      assert.match(error.message, /"bad" could not call echo: its URL redirects to http:\/\/127\.0\.0\.1:\d+\/mcp/);
      assert.deepEqual(await http.requests(), []);
    } finally {
      await session.close();
    }
  });

  it('are never at risk elsewhere: no request goes to another origin @httpOrigin.risk-elsewhere-request', async () => {
    const nothing = () => {};
    const fetch = createHttpFetch({
      url: new URL('https://example.com/mcp'),
      kind: 'http',
      headers: secrets,
      maxMessageBytes: 1_000_000,
      limitMs: () => 1_000,
      relay: new EventRelay({ message: nothing, log: nothing, noise: nothing, leftOut: nothing, wire: nothing }),
      exchanges: new Exchanges(),
      wire: nothing,
      say: nothing,
      lost: nothing,
    });
    await assert.rejects(fetch(http.url('/html'), { headers: { 'X-Own': 'yes' } }), {
      name: 'TransportFault',
      message: /points to http:\/\/127\.0\.0\.1:\d+, which is not its own address, so nothing was sent there/,
    });
    assert.deepEqual(await http.requests(), []);
  });
});
