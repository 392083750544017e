import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestAuth } from '../testAuth';
import { TestHost } from '../testHost';

describe('discovery of an authorization server', () => {
  let seen: { path: string; headers: IncomingHttpHeaders }[];
  /** What is answered, by path; nothing is there otherwise. */
  let answers: Record<string, object>;
  let http: Server;
  let auth: TestAuth;
  let host: TestHost;
  beforeEach(async () => {
    seen = [];
    answers = {};
    http = createServer(({ url = '', headers }, response) => {
      seen.push({ path: url, headers });
      if (answers[url])
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[url]));
      else response.writeHead(url.startsWith('/.well-known/') ? 404 : 401).end();
    }).listen(0, '127.0.0.1');
    await once(http, 'listening');
    auth = new TestAuth();
    host = new TestHost({ auth });
  });
  afterEach(async () => {
    await host.close();
    http.closeAllConnections();
    http.close();
  });

  it("sends the protocol version with each metadata request, beginning at the server's path", async () => {
    const { port } = http.address() as AddressInfo;
    host.configure({ box: { type: 'http', url: `http://127.0.0.1:${port}/team/mcp` } });
    await host.reaches('box', 'needsAuth');
    seen.length = 0;
    await assert.rejects(host.server('box').account.signIn(AbortSignal.timeout(120_000)));
    const asked = seen.filter(({ path }) => path.startsWith('/.well-known/'));
    assert.deepEqual(
      asked.slice(0, 2).map(({ path }) => path),
      ['/.well-known/oauth-protected-resource/team/mcp', '/.well-known/oauth-protected-resource'],
    );
    assert.ok(asked.some(({ path }) => path === '/.well-known/oauth-authorization-server'));
    for (const { path, headers } of asked) assert.match(String(headers['mcp-protocol-version']), /^20\d\d-/, path);
  });

  it('reports a missing header where a key is required, without a browser or a question', async () => {
    const { port } = http.address() as AddressInfo;
    host.configure({ box: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } });
    const { error } = await host.reaches('box', 'needsAuth');
    assert.match(error.message, /it requires credentials \(HTTP 401\)\. .*"Authorization" header/);
    const box = host.server('box');
    assert.equal(box.account.offersSignIn, false);
    await assert.rejects(
      box.account.signIn(AbortSignal.timeout(120_000)),
      /it offers no way to sign in\. .*"Authorization" header/,
    );
    assert.equal(auth.requests.length, 0);
  });

  /** Signs in with an authorization server on the same port whose page for people is this one. */
  const signIn = async (page: (origin: string) => string) => {
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    answers['/.well-known/oauth-authorization-server'] = {
      issuer: origin,
      authorization_endpoint: page(origin),
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    };
    answers['/register'] = { client_id: 'a', redirect_uris: ['http://localhost:3000/callback'] };
    host.configure({ box: { type: 'http', url: `${origin}/mcp` } });
    await host.reaches('box', 'needsAuth');
    await assert.rejects(host.server('box').account.signIn(AbortSignal.timeout(120_000)));
    assert.ok(seen.some(({ path }) => path === '/.well-known/oauth-authorization-server'));
  };

  it('opens the browser for a page on this machine', async () => {
    await signIn(origin => `${origin}/authorize`);
    assert.equal(auth.requests.length, 1);
  });

  for (const page of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vbscript:x', 'vscode://x/y']) {
    it(`opens no browser for a page at ${page}`, async () => {
      await signIn(() => page);
      assert.deepEqual(auth.requests, []);
    });
  }
});
