import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestAuth } from '../testAuth';
import { TestHost } from '../testHost';

describe('looking for an authorization server', () => {
  let seen: { path: string; headers: IncomingHttpHeaders }[];
  let http: Server;
  let host: TestHost;
  beforeEach(async () => {
    seen = [];
    http = createServer(({ url = '', headers }, response) => {
      seen.push({ path: url, headers });
      response.writeHead(url.startsWith('/.well-known/') ? 404 : 401).end();
    }).listen(0, '127.0.0.1');
    await once(http, 'listening');
    host = new TestHost({ auth: new TestAuth() });
  });
  afterEach(async () => {
    await host.close();
    http.closeAllConnections();
    http.close();
  });

  it('names the protocol version in each request for metadata, and asks first at the path of the server', async () => {
    const { port } = http.address() as AddressInfo;
    host.configure({ box: { type: 'http', url: `http://127.0.0.1:${port}/team/mcp` } });
    await host.reaches('box', 'needsAuth');
    seen.length = 0;
    await assert.rejects(host.server('box').account.signIn(AbortSignal.timeout(20_000)));
    const asked = seen.filter(({ path }) => path.startsWith('/.well-known/'));
    assert.deepEqual(
      asked.slice(0, 2).map(({ path }) => path),
      ['/.well-known/oauth-protected-resource/team/mcp', '/.well-known/oauth-protected-resource'],
    );
    assert.ok(asked.some(({ path }) => path === '/.well-known/oauth-authorization-server'));
    for (const { path, headers } of asked) assert.match(String(headers['mcp-protocol-version']), /^20\d\d-/, path);
  });
});
