// Two scenarios of the official suite that no release of it has yet: `session-renegotiation-404` and `legacy-extensions`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { TestAuth } from '../testAuth';
import { TestHost } from '../testHost';

const VERSION = '2025-11-25';
const EXTENSIONS = { 'com.example/notes': { listed: true, depth: { most: 3 } }, 'com.example/empty': {} };

interface Seen {
  method: string;
  session: string | undefined;
  params: { capabilities?: { extensions?: Record<string, unknown> } };
}

describe('messages to a legacy HTTP server', () => {
  let seen: Seen[];
  let sessions: number;
  let server: http.Server;
  let test: TestHost;
  /** The method whose next request ends the session, which it belongs to. */
  let ending: string | undefined;

  const answer = (method: string): object =>
    ({
      initialize: {
        protocolVersion: VERSION,
        capabilities: { tools: {}, extensions: EXTENSIONS },
        serverInfo: { name: 's', version: '1' },
      },
      'tools/list': { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
    })[method] ?? {};

  beforeEach(async () => {
    seen = [];
    sessions = 0;
    ending = undefined;
    server = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (!body) return void response.writeHead(405).end();
      const { id, method, params = {} } = JSON.parse(body) as { id?: unknown; method: string; params?: object };
      const session = request.headers['mcp-session-id'] as string | undefined;
      if (method === 'server/discover') {
        const error = { code: -32601, message: 'Method not found' };
        return void response.writeHead(400).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      }
      seen.push({ method, session, params });
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'initialize') response.setHeader('Mcp-Session-Id', `session-${++sessions}`);
      if (method === ending) {
        ending = undefined;
        const error = { code: -32001, message: 'Session not found' };
        return void response.writeHead(404).end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      }
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answer(method) }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    test = new TestHost({ auth: new TestAuth() });
  });
  afterEach(async () => {
    await test.close();
    server.close();
  });

  const start = async () => {
    test.configure({ remote: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` } });
    return test.loads('remote');
  };
  const of = (method: string) => seen.filter(one => one.method === method);

  it('begin a session without the ID of the one that ended, and go on in it @legacyWire.begin-session-id', async () => {
    const connection = await start();
    const before = of('tools/list').length;
    ending = 'tools/call';
    const { content } = await raw(connection).callTool(connection.catalog.tools[0]!, {});
    assert.deepEqual(content, [{ type: 'text', text: 'done' }]);
    assert.deepEqual(
      of('initialize').map(({ session }) => session),
      [undefined, undefined],
    );
    assert.deepEqual(
      of('tools/call').map(({ session }) => session),
      ['session-1', 'session-2'],
    );
    assert.ok(before > 0 && of('notifications/initialized').at(-1)!.session === 'session-2');
  });

  it('begin a new session when the first request of one meets its end', async () => {
    ending = 'tools/list';
    const connection = await start();
    await waitFor(() => connection.catalog.tools.length === 1, {
      what: () =>
        JSON.stringify([connection.state, connection.catalog.list('tools'), seen.map(({ method }) => method)]),
    });
    assert.deepEqual(
      of('tools/list').map(({ session }) => session),
      ['session-1', 'session-2'],
    );
  });

  it('declare extensions, and those of the server arrive with their settings as they are', async () => {
    const { info } = await start();
    assert.deepEqual([info?.era, info?.protocolVersion], ['legacy', VERSION]);
    assert.deepEqual(info?.capabilities.extensions, EXTENSIONS);
    const [initialize] = of('initialize');
    assert.ok(Object.keys(initialize?.params.capabilities?.extensions ?? {}).length > 0);
    assert.equal(of('notifications/initialized').length, 1);
  });
});
