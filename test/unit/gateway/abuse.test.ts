import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as net from 'node:net';
import * as path from 'node:path';
import { startScript, waitFor } from '../../servers/spawn';
import { hostile } from '../host/testHost';
import { TestGateway, target } from './testGateway';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

describe('the gateway withstands', () => {
  let t: TestGateway;
  beforeEach(() => {
    t = new TestGateway();
  });
  afterEach(() => t.close());

  const works = async () => {
    const client = await t.connect('one', 'legacy');
    assert.notEqual((await client.callTool({ name: 'echo', arguments: { text: 'x' } })).isError, true);
  };
  const post = (body: string, headers: Record<string, string> = {}) =>
    t.fetch('one', {
      method: 'POST',
      body,
      headers: { ...JSON_HEADERS, ...t.address('one').headers, ...headers },
    });

  it('clients without the bearer token, or with a wrong one, and web pages @abuse.clients-bearer-token', async () => {
    await t.serve({ one: hostile() });
    const body = JSON.stringify(initialize);
    const { Authorization = '' } = t.address('one').headers;
    for (const wrong of [
      '',
      'Bearer ',
      'Bearer x',
      `${Authorization}x`,
      Authorization.slice(0, -1),
      Authorization.slice(7),
    ]) {
      assert.equal((await post(body, { Authorization: wrong })).status, 401, wrong);
    }
    assert.equal((await t.fetch('one', { headers: { Accept: 'text/event-stream' } })).status, 401);
    assert.equal((await post(body, { Origin: 'https://example.com' })).status, 403);
    assert.equal((await post(body, { Origin: 'null' })).status, 403);
    assert.equal((await post(body)).status, 200);
  });

  it('invalid paths, bodies and methods', async () => {
    await t.serve({ one: hostile() });
    const { headers } = t.address('one');
    for (const path of ['/', '/servers/', '/servers/none', '/servers/../one', '//servers/one']) {
      assert.equal((await t.fetch('one', { path, headers })).status, 404, path);
    }
    for (const body of ['', '{', 'null', '7', '[]', '"text"', '{}', '{"jsonrpc":"2.0"}', '[[[]]]']) {
      const { status } = await post(body);
      assert.ok(status >= 400 && status < 500, `${body}: ${status}`);
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      const { status } = await t.fetch('one', { method, headers });
      assert.ok(status >= 400 && status < 500, `${method}: ${status}`);
    }
    assert.equal((await post(JSON.stringify(initialize), { 'mcp-session-id': 'none' })).status, 404);
    await works();
  });

  for (const form of ['with its length', 'in chunks'] as const) {
    it(`a body of 100 MB, ${form}, which it does not keep`, async () => {
      await t.serve({ one: hostile() });
      const { headers, path } = t.address('one');
      const length = 100 * 1024 * 1024;
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const request = http.request({
        ...target(t.address('one')),
        path,
        method: 'POST',
        headers: { ...JSON_HEADERS, ...headers, ...(form === 'with its length' && { 'Content-Length': length }) },
      });
      let failure: Error | undefined;
      request.on('error', error => {
        failure = error;
      });
      let answer: http.IncomingMessage | undefined;
      request.on('response', response => {
        answer = response.resume();
      });
      let sent = 0;
      for (; sent < length && !failure && !answer; sent += chunk.length) {
        const isFull = !request.write(chunk);
        await new Promise(setImmediate);
        if (isFull)
          await waitFor(() => !request.writableNeedDrain || failure || answer, { what: 'the gateway to read' });
      }
      await waitFor(() => answer, { what: () => `the answer; ${failure?.message}` });
      assert.equal(answer?.statusCode, 413);
      assert.ok(sent < length / 2, `it took ${sent} bytes`);
      request.destroy();
      await works();
    });
  }

  it('a thousand silent connections', async () => {
    await t.serve({ one: hostile() });
    const sockets = Array.from({ length: 1_000 }, () => net.connect({ path: t.address('one').at }));
    try {
      await Promise.all(sockets.map(socket => once(socket, 'connect')));
      await works();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('a client that asks and asks and never reads', async () => {
    await t.serve({ one: hostile(), large: hostile('--tools=3000') });
    const { at, path, headers } = t.address('large');
    const begun = await t.fetch('large', {
      method: 'POST',
      body: JSON.stringify(initialize),
      headers: { ...JSON_HEADERS, ...headers },
    });
    const session = begun.headers.get('mcp-session-id') ?? assert.fail('no session');
    await begun.text();
    const socket = net.connect({ path: at });
    socket.on('error', () => {});
    socket.pause();
    const head = Object.entries({ ...JSON_HEADERS, ...headers, 'mcp-session-id': session, Host: 'localhost' });
    const before = process.memoryUsage().rss;
    for (let id = 2; id < 500; id++) {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' });
      const lines = [...head, ['Content-Length', String(body.length)]].map(([name, value]) => `${name}: ${value}`);
      socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
    }
    await works();
    await works();
    // All answers together would have some 150 MB, thrice.
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < 200 * 1024 * 1024, `${grown} bytes`);
    socket.destroy();
  });

  it('more abandoned sessions than it keeps', async () => {
    await t.serve({ one: hostile() });
    const client = await t.connect('one', 'legacy');
    for (let i = 0; i < 100; i++) {
      const answer = await post(JSON.stringify(initialize));
      assert.equal(answer.status, 200);
      await answer.body?.cancel();
      // Who is in use is not ended.
      if (i % 10 === 0) await client.ping();
    }
    await client.ping();
  });

  it('a socket that a crash left behind, which it removes, and other windows, which it leaves alone @abuse.socket-crash-left', async function () {
    if (process.platform === 'win32') this.skip();
    this.timeout(60_000);
    const other = new TestGateway();
    const base = path.dirname(path.dirname(await placeOf(other)));
    const stale = fs.mkdtempSync(path.join(base, 'mcp-host-gateway-'));
    // Of a person, whatever its name, and old enough to be taken for one of a crash.
    const work = fs.mkdtempSync(path.join(base, 'mcp-host-gateway-'));
    const script = path.join(work, 'crash.cjs');
    fs.writeFileSync(
      script,
      `require('net').createServer().listen(${JSON.stringify(path.join(stale, 's'))}, () => console.log('up'))`,
    );
    fs.utimesSync(work, 0, 0);
    const crashed = startScript(script);
    await waitFor(() => crashed.stdout.includes('up'), { what: 'the socket' });
    process.kill(crashed.pid, 'SIGKILL');
    await crashed.exited;
    assert.ok(fs.existsSync(path.join(stale, 's')));
    try {
      await t.serve({ one: hostile() });
      await waitFor(() => !fs.existsSync(stale), { what: 'the stale folder to be removed' });
      assert.ok(fs.existsSync(script));
      assert.ok(fs.existsSync(other.address('one').at));
      assert.notEqual(other.address('one').at, t.address('one').at);
      // Each window knows its own secret only.
      const { headers } = other.address('one');
      assert.equal((await t.fetch('one', { headers })).status, 401);
      await works();
    } finally {
      await other.close();
      fs.rmSync(work, { recursive: true });
    }
  });

  it('the removal of its socket: it listens elsewhere, says so, and leaves nothing @abuse.removal-socket-listens', async function () {
    if (process.platform === 'win32') this.skip(); // its pipes are no files
    await t.serve({ one: hostile() });
    const { at } = t.address('one');
    await works();
    fs.rmSync(at);
    await waitFor(() => t.moves === 1 && t.address('one').at !== at, { what: 'another address' });
    await works();
    const moved = t.address('one').at;
    await t.close();
    for (const place of [at, moved]) assert.ok(!fs.existsSync(path.dirname(place)), place);
  });

  it('its own end: nothing listens and nothing is left', async () => {
    await t.serve({ one: hostile() });
    const { at } = t.address('one');
    if (process.platform !== 'win32') assert.equal(fs.statSync(path.dirname(at)).mode & 0o777, 0o700);
    assert.ok(Buffer.byteLength(at) <= 103, at);
    const client = await t.connect('one', 'legacy');
    await t.gateway.close();
    assert.ok(!fs.existsSync(path.dirname(at)));
    await assert.rejects(client.ping());
  });

  it('other names for its host, where it listens on TCP @abuse.names-host-listens', async () => {
    await t.close();
    t = new TestGateway({ tcp: true });
    await t.serve({ one: hostile() });
    const address = t.address('one');
    assert.match(address.at, /^127\.0\.0\.1:\d+$/);
    assert.equal((await post(JSON.stringify(initialize), { Host: 'evil.example' })).status, 403);
    assert.equal((await post(JSON.stringify(initialize), { Host: address.at })).status, 200);
    await works();
  });

  /** Starts another window's gateway. @returns where its socket is. */
  async function placeOf(other: TestGateway): Promise<string> {
    await other.serve({ one: hostile() });
    return other.address('one').at;
  }
});
