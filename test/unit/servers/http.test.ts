import assert from 'node:assert/strict';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type HttpFixture, startHttpFixture, waitFor } from '../../servers/spawn';

describe('the HTTP fixture', () => {
  let fixture: HttpFixture;
  const clients: Client[] = [];
  before(async () => {
    fixture = await startHttpFixture();
  });
  after(() => fixture.stop());
  beforeEach(() => fixture.forgetRequests());
  afterEach(async () => {
    await Promise.all(clients.splice(0).map(client => client.close()));
  });

  function newClient(): Client {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { capabilities: { roots: {} }, versionNegotiation: { mode: 'auto' } },
    );
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///root' }] }));
    clients.push(client);
    return client;
  }

  async function connect(path: string, headers: Record<string, string> = {}): Promise<Client> {
    const client = newClient();
    const transport = new StreamableHTTPClientTransport(new URL(fixture.url(path)), { requestInit: { headers } });
    await client.connect(transport);
    return client;
  }

  const textOf = (result: { content: unknown[] }) => (result.content[0] as { text: string }).text;

  for (const path of ['/mcp', '/mcp?answer=sse']) {
    it(`${path} is a well-behaved legacy server with sessions`, async () => {
      const client = await connect(path);
      assert.equal(client.getProtocolEra(), 'legacy');
      assert.equal(client.getServerVersion()?.name, 'http');
      assert.equal((await client.listTools()).tools.length, 3);
      const transport = client.transport as StreamableHTTPClientTransport;
      assert.ok(transport.sessionId);
      const listens = async () =>
        (await fixture.requests()).some(r => r.method === 'GET' && r.headers['mcp-session-id']);
      await waitFor(listens, { what: 'the client to listen' });
      await transport.terminateSession();
      assert.equal((await fixture.requests()).at(-1)?.method, 'DELETE');
    });
  }

  it('/mcp streams notifications before an answer, and accepts a cancellation', async () => {
    const client = await connect('/mcp');
    const aborter = new AbortController();
    const call = client.callTool(
      { name: 'wait', arguments: { ms: 60_000 } },
      { signal: aborter.signal, onprogress: () => aborter.abort() },
    );
    await assert.rejects(call);
    await waitFor(async () => (await fixture.requests()).some(r => r.body.includes('notifications/cancelled')), {
      what: 'the cancellation',
    });
  });

  it('/mcp answers 404 for a forgotten session, 400 for none', async () => {
    const client = await connect('/mcp');
    await fixture.forgetSessions();
    await assert.rejects(client.ping(), { status: 404 });
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    assert.equal((await fetch(fixture.url('/mcp'), { method: 'POST', body })).status, 400);
    assert.equal((await fetch(fixture.url('/mcp'), { method: 'POST', body: '{nonsense' })).status, 400);
    assert.equal((await fetch(fixture.url('/mcp'), { method: 'PUT', body })).status, 405);
  });

  it('/modern is detected as modern, with roots requested through input_required', async () => {
    const client = await connect('/modern');
    assert.equal(client.getProtocolEra(), 'modern');
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    assert.equal(client.getServerVersion()?.name, 'modern');
    assert.equal(textOf(await client.callTool({ name: 'list-roots' })), '[{"uri":"file:///root"}]');
    assert.equal((await client.readResource({ uri: 'modern://notes/today' })).contents.length, 1);
  });

  it('/modern announces changed tools to a subscriber', async () => {
    const client = await connect('/modern');
    const changed = new Promise<void>(resolve => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve());
    });
    const subscription = await client.listen({ toolsListChanged: true });
    await client.callTool({ name: 'change' });
    await changed;
    assert.ok((await client.listTools()).tools.some(t => t.name === 'after-change'));
    await subscription.close();
  });

  it('/modern refuses a legacy handshake with 400', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const connecting = client.connect(new StreamableHTTPClientTransport(new URL(fixture.url('/modern'))));
    await assert.rejects(connecting);
  });

  it('/sse and /sse-only serve the older HTTP+SSE; /sse-only refuses a POST with 405', async () => {
    for (const path of ['/sse', '/sse-only']) {
      await assert.rejects(connect(path), { status: 405 });
      const client = newClient();
      await client.connect(new SSEClientTransport(new URL(fixture.url(path))));
      assert.equal(client.getServerVersion()?.name, 'sse');
      assert.equal(textOf(await client.callTool({ name: 'echo', arguments: { text: 'over SSE' } })), 'over SSE');
    }
  });

  it('/401, /403, /404, /500 answer with that status, /401 with a challenge', async () => {
    for (const status of [401, 403, 404, 500]) {
      await assert.rejects(connect(`/${status}`), { status });
    }
    const { headers } = await fetch(fixture.url('/401'), { method: 'POST', body: '{}' });
    assert.equal(headers.get('www-authenticate'), 'Bearer realm="fixture"');
  });

  it('/html answers with a page, and connecting fails', async () => {
    const response = await fetch(fixture.url('/html'), { method: 'POST', body: '{}' });
    assert.equal(response.headers.get('content-type'), 'text/html');
    await assert.rejects(connect('/html'));
  });

  it('/hang never answers and /close breaks the connection off', async () => {
    const signal = AbortSignal.timeout(200);
    await assert.rejects(fetch(fixture.url('/hang'), { method: 'POST', body: '{}', signal }), { name: 'TimeoutError' });
    await assert.rejects(fetch(fixture.url('/close'), { method: 'POST', body: '{}' }), { name: 'TypeError' });
  });

  it('/redirect-other points to another origin, which records what it receives', async () => {
    const response = await fetch(fixture.url('/redirect-other'), { method: 'POST', body: '{}', redirect: 'manual' });
    assert.equal(response.status, 302);
    const target = new URL(response.headers.get('location') ?? '');
    assert.notEqual(target.port, String(fixture.port));
    await fetch(target, { method: 'POST', body: '{}', headers: { 'x-secret': 'leaked' } });
    const other = (await fixture.requests()).filter(r => r.origin === 'other');
    assert.equal(other.length, 1);
    assert.equal(other[0]?.headers['x-secret'], 'leaked');
    const kept = await fetch(fixture.url('/redirect-other?status=307'), { method: 'POST', redirect: 'manual' });
    assert.equal(kept.status, 307);
  });

  it('/echo-headers answers with the headers it was called with', async () => {
    const client = await connect('/echo-headers', { 'X-Team': 'a' });
    const headers = JSON.parse(textOf(await client.callTool({ name: 'headers' })));
    assert.equal(headers['x-team'], 'a');
    assert.equal(headers['mcp-protocol-version'], '2025-11-25');
  });

  it('ends with its stdin', async () => {
    const other = await startHttpFixture();
    other.child.stdin?.end();
    assert.equal(await other.exited, 0);
  });
});
