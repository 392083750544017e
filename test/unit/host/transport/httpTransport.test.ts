import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { HttpTransport } from '../../../../src/host/transport/httpTransport';
import { type HttpFixture, startHttpFixture, startHttpServer, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { TestHost } from '../testHost';

describe('a server over HTTP', () => {
  let test: TestHost;
  let http: HttpFixture;
  before(async () => {
    http = await startHttpFixture();
  });
  after(() => http.stop());
  beforeEach(() => {
    test = new TestHost();
  });
  afterEach(() => test.close());

  const failure = async (path: string, timeouts = {}) => {
    test.configure({ remote: { url: http.url(path), timeouts } });
    return (await test.reaches('remote', 'failed')).error;
  };

  for (const [path, transport, era] of [
    ['/mcp', 'http', 'legacy'],
    ['/mcp?answer=sse', 'http', 'legacy'],
    ['/modern', 'http', 'modern'],
    ['/sse-only', 'sse', 'legacy'],
  ] as const) {
    it(`connects at ${path}: ${transport}, ${era} era @httpTransport.connects-era`, async () => {
      test.configure({ remote: { url: http.url(path) } });
      const { info } = await test.reaches('remote', 'ready');
      assert.deepEqual([info.transport, info.era], [transport, era]);
      assert.ok((await test.loads('remote')).catalog.tools.length > 0);
    });
  }

  it('of type sse uses the older transport directly', async () => {
    test.configure({ old: { type: 'sse', url: http.url('/sse') } });
    assert.equal((await test.reaches('old', 'ready')).info.transport, 'sse');
    assert.ok((await test.loads('old')).catalog.tools.length > 0);
  });

  it('gets the headers of its entry @httpTransport.gets-headers-entry', async () => {
    test.configure({ remote: { url: http.url('/echo-headers'), headers: { 'X-Team': 'a' } } });
    await test.reaches('remote', 'ready');
    const result = await raw(test.server('remote')).request('call headers', (client, options) =>
      client.callTool({ name: 'headers' }, options),
    );
    assert.equal(JSON.parse((result.content[0] as { text: string }).text)['x-team'], 'a');
  });

  it('never gets its headers sent on to another origin', async () => {
    await http.forgetRequests();
    test.configure({
      remote: { url: http.url('/redirect-other?status=307'), headers: { Authorization: 'Bearer secret' } },
    });
    await test.reaches('remote', 'failed');
    const leaked = (await http.requests()).filter(({ origin, headers }) => origin === 'other' && headers.authorization);
    assert.deepEqual(leaked, []);
  });

  it('that requires a sign-in is reported', async () => {
    test.configure({ remote: { url: http.url('/401') } });
    const { error } = await test.reaches('remote', 'needsAuth');
    assert.equal(error.code, 'UNAUTHORIZED');
    assert.match(
      error.message,
      /"remote" could not connect: it requires you to sign in \(HTTP 401\)\. Add credentials to "headers"/,
    );
    assert.equal((await failure('/403')).code, 'FORBIDDEN');
  });

  it('at a wrong path is reported', async () => {
    const error = await failure('/404');
    assert.equal(error.code, 'HTTP_STATUS');
    assert.match(error.message, /answered with HTTP 404\. Check the path in the URL/);
  });

  it('whose event stream names an address of another origin is reported', async () => {
    const error = await failure('/sse-elsewhere');
    assert.equal(error.code, 'PROTOCOL');
    assert.match(error.message, /it points to http:\/\/127\.0\.0\.1:\d+, which is not its own address/);
  });

  it('of the older transport that does not exist is reported with the reason', async () => {
    const gone = await startHttpFixture();
    await gone.stop();
    test.configure({ old: { type: 'sse', url: gone.url('/sse') } });
    const { error } = await test.reaches('old', 'failed');
    assert.match(error.message, /could not connect: cannot reach http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
  });

  it('that is broken is reported', async () => {
    assert.match((await failure('/500')).message, /HTTP 500/);
  });

  it('that is a web page is reported as no MCP server @httpTransport.web-page-reported', async () => {
    const error = await failure('/html');
    assert.equal(error.code, 'NOT_MCP');
    assert.match(error.message, /"remote" could not connect: it returned a web page, not MCP\. Check the URL/);
  });

  it('that accepts and never answers fails after startMs', async () => {
    const error = await failure('/hang', { startMs: 500 });
    assert.equal(error.code, 'TIMEOUT');
  });

  it('that hangs up, or does not exist, is unreachable', async () => {
    assert.equal((await failure('/close')).code, 'UNREACHABLE');
    const gone = await startHttpFixture();
    await gone.stop();
    test.configure({ nobody: { url: gone.url('/mcp') } });
    const { error } = await test.reaches('nobody', 'failed');
    assert.match(error.message, /cannot reach http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
    test.configure({ blocked: { url: 'http://127.0.0.1:9/mcp' } });
    assert.match(
      (await test.reaches('blocked', 'failed')).error.message,
      /its URL has port 9, which web requests must not use\. Run the server on another port/,
    );
  });

  it('is told once that its session is over @httpTransport.told-once-session', async () => {
    await http.forgetRequests();
    test.configure({ remote: { url: http.url('/mcp') }, new: { url: http.url('/modern') } });
    await Promise.all([test.loads('remote'), test.loads('new')]);
    await Promise.all([test.server('remote').stop('test'), test.server('new').stop('test')]);
    const seen = await http.requests();
    const [ended, ...more] = seen.filter(({ method }) => method === 'DELETE');
    assert.deepEqual(more, []);
    const used = seen.find(({ url, headers }) => url === '/mcp' && headers['mcp-session-id']);
    assert.equal(ended?.url, '/mcp');
    for (const name of ['mcp-session-id', 'mcp-protocol-version'])
      assert.equal(ended?.headers[name], used?.headers[name]);
  });

  it('is told that its session is over, and nothing else, when its version is none of ours @httpTransport.told-session-else', async () => {
    const flags = ['--http-log=mcp-session-id', '--http-delete=200', '--old-protocol=1999-01-01'];
    const server = await startHttpServer('hostile', ['--http', ...flags]);
    test.configure({ old: { url: server.url('/mcp') } });
    const { error } = await test.reaches('old', 'failed');
    assert.match(error.message, /it speaks version 1999-01-01 of the protocol, and MCP Host speaks/);
    await waitFor(() => server.stderr.includes('hostile: DELETE'), { what: 'the end of the session' });
    const said = server.stderr.filter(line => line.includes(' | '));
    const [, , last = '', ...more] = said.map(line => line.replace(/\| [\da-f-]{36}$/, '| its own'));
    assert.deepEqual([last, more], ['hostile: - | its own', []], said.join());
    await server.stop();
  });

  it('does not block when ending the session ignores the time limit', async () => {
    const listeners = { noise() {}, log() {}, leftOut() {}, wire() {}, say() {}, lost() {} };
    const authorize = (url: URL, init: RequestInit) =>
      init.method === 'DELETE' ? new Promise<Response>(() => {}) : fetch(url, init);
    const options = {
      url: new URL(http.url('/mcp')),
      headers: {},
      authorize,
      maxMessageBytes: 1e6,
      // Longer than the test may take.
      limitMs: () => 600_000,
    };
    const transport = new HttpTransport(options, listeners);
    await new Client({ name: 'test', version: '0' }).connect(transport);
    await transport.close();
  });

  it('does not block when it refuses the end of its session', async () => {
    for (const status of ['405', '500', '0']) {
      const server = await startHttpServer('hostile', ['--http', `--http-delete=${status}`]);
      // A limit of the request would be longer than the test may take.
      test.configure({ remote: { url: server.url('/mcp'), timeouts: { requestMs: 600_000 } } });
      await test.loads('remote');
      test.logs.length = 0;
      await test.server('remote').stop('test');
      await waitFor(() => server.stderr.includes('hostile: DELETE'), { what: `the end of the session (${status})` });
      const said = test.logs.filter(({ level }) => level === 'warning' || level === 'error');
      assert.deepEqual(said, [], status);
      await server.stop();
    }
  });
});
