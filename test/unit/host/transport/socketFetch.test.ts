import assert from 'node:assert/strict';
import { createSocketFetch } from '../../../../src/host/transport/socketFetch';
import { relaySocket } from '../../../servers/relay';
import { type HttpServerFixture, startHttpServer, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { TestAuth } from '../testAuth';
import { hostile, TestHost } from '../testHost';

describe('a server on a Unix socket', function () {
  before(function () {
    if (process.platform === 'win32') this.skip(); // its Node has named pipes only
  });
  this.timeout(60_000);
  let host: TestHost;
  let messageBytes: number | undefined;
  let server: HttpServerFixture;
  let relay: Awaited<ReturnType<typeof relaySocket>>;
  const start = async (name: string, ...flags: string[]) => {
    server = await startHttpServer(name, flags);
    relay = await relaySocket(server.port);
  };
  beforeEach(() => {
    messageBytes = undefined;
    host = new TestHost({}, { limits: () => (messageBytes === undefined ? {} : { messageBytes }) });
  });
  afterEach(async () => {
    await host.close();
    await relay?.close();
    await server?.stop();
  });
  const configure = (entry: object) => host.configure({ bad: entry, good: hostile() });
  const call = (name = 'echo', args: Record<string, unknown> = { text: 'hello' }) =>
    raw(host.server('bad')).callTool({ name, inputSchema: { type: 'object' } }, args);
  const textOf = ({ content }: Awaited<ReturnType<typeof call>>) => (content[0] as { text: string }).text;
  const failsToStart = async (message: RegExp) => {
    const { error } = await host.reaches('bad', 'failed');
    assert.match(error.message, message);
    await host.loads('good');
    return error;
  };

  for (const [what, path, entry] of [
    ['Streamable HTTP', '/mcp', {}],
    ['answers that are streamed', '/mcp?answer=sse', {}],
    ['the era of 2026', '/modern', {}],
    ['the older HTTP+SSE', '/sse', { type: 'sse' }],
    ['the older one as a fallback', '/sse-only', {}],
  ] as const) {
    it(`speaks ${what} @socketFetch.speaks`, async () => {
      await start('http');
      configure({ url: relay.url(path), ...entry });
      await host.loads('bad');
      assert.equal(textOf(await call()), 'hello');
    });
  }

  it('gets the headers of settings, and the host localhost', async () => {
    await start('http');
    configure({ url: relay.url('/echo-headers'), headers: { 'X-Key': 'of settings' } });
    await host.loads('bad');
    const headers = JSON.parse(textOf(await call('headers', {})));
    assert.equal(headers['x-key'], 'of settings');
    assert.equal(headers.host, 'localhost');
  });

  it('answers many requests over few connections', async () => {
    await start('http');
    configure({ url: relay.url('/mcp') });
    await host.loads('bad');
    const before = relay.connections;
    for (let i = 0; i < 20; i++) await call();
    assert.ok(relay.connections - before <= 1, `${relay.connections - before} new connections for 20 calls`);
  });

  it('that is missing is reported with its path and the remedy', async () => {
    await start('http');
    const { path, url } = relay;
    await relay.close();
    configure({ url: url('/mcp') });
    const error = await failsToStart(
      /"bad" could not connect: nothing answers on the socket .*a\.sock \(ENOENT\)\. Check/,
    );
    assert.ok(error.message.includes(path), error.message);
    assert.match(error.message, /Check that the server is running, and check the path in its URL/);
    assert.equal(error.code, 'UNREACHABLE');
  });

  it('that disappears fails pending requests, and the next call names the socket', async () => {
    await start('hostile', '--http', '--http-trickle=tools/call');
    configure({ url: relay.url('/mcp') });
    await host.loads('bad');
    const underWay = assert.rejects(call(), /could not call echo: its response was cut off before the result arrived/);
    const calls = () => server.stderr.length;
    await raw(host.server('bad')).request('ping', client => client.ping());
    assert.equal(calls(), 0);
    await relay.close();
    await underWay;
    await assert.rejects(call(), /on the socket .*a\.sock \(ENOENT\)/);
    await host.loads('good');
  });

  it('has its answers bounded, whole or as a stream', async () => {
    messageBytes = 4 * 1024 * 1024;
    for (const form of ['json', 'event']) {
      await start('hostile', '--http', `--http-large=tools/call,8,${form}`);
      configure({ url: relay.url('/mcp') });
      await host.loads('bad');
      await assert.rejects(call(), { code: 'TOO_LARGE' });
      await waitFor(() => server.stderr.some(line => line.includes('let go')), { what: 'the connection to be let go' });
      await relay.close();
      await server.stop();
    }
  });

  it('is disconnected when no caller waits any more', async () => {
    await start('hostile', '--http', '--http-trickle=tools/call');
    configure({ url: relay.url('/mcp'), timeouts: { toolCallMs: 300 } });
    await host.loads('bad');
    await assert.rejects(call(), /no answer within 0\.3 s/);
    await waitFor(() => server.stderr.some(line => line.includes('let go')), { what: 'the trickle to be let go' });
  });

  it('cannot redirect elsewhere', async () => {
    await start('http');
    configure({ url: relay.url('/redirect-other?status=307') });
    await failsToStart(/its URL redirects to http:\/\/127\.0\.0\.1:\d+\/mcp \(HTTP 307\), which is not followed/);
  });

  it('names the own address with the new path when a server behind a proxy redirects to itself', async () => {
    await start('http');
    const to = encodeURIComponent('http://localhost:8000/mcp/');
    configure({ url: relay.url(`/redirect?status=307&to=${to}`) });
    await failsToStart(/redirects to http:\/\/localhost:8000\/mcp\/ .*Change the URL to http:\/\/localhost\/mcp\/:/s);
  });

  it('offers no sign-in, because tokens cannot be bound to a socket, and reports that @socketFetch.offers-sign-tokens', async () => {
    const auth = new TestAuth();
    host = new TestHost({ auth });
    await start('protected');
    configure({ url: relay.url('/mcp') });
    await failsToStart(/requires you to sign in \(HTTP 401\), which is not possible on a socket\. Add credentials to/);
    assert.deepEqual([auth.requests, [...auth.values]], [[], []]);
  });

  it('that answers with an invalid status is refused', async () => {
    const { createServer } = await import('node:net');
    await start('http');
    const raw = createServer(socket => socket.once('data', () => socket.end('HTTP/1.1 999 Odd\r\n\r\n')));
    await new Promise<void>(resolve => raw.listen(`${relay.path}2`, resolve));
    const send = createSocketFetch(`${relay.path}2`);
    await assert.rejects(send(new URL('http://localhost/'), {}), RangeError);
    await new Promise(resolve => raw.close(resolve));
  });
});
