import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Authorizer } from '../../../../src/host/auth/authorizer';
import { discover } from '../../../../src/host/auth/discovery';
import { TestAuth } from '../testAuth';
import { TestHost } from '../testHost';

describe('discovery of an authorization server', () => {
  let seen: { path: string; headers: IncomingHttpHeaders; body: string }[];
  /** What is answered, by path; nothing is there otherwise. */
  let answers: Record<string, object | string>;
  /** Statuses of answers other than 200 and 404, by path. */
  let statuses: Record<string, number>;
  /** `WWW-Authenticate` of the server. */
  let challenge: string | undefined;
  let http: Server;
  let auth: TestAuth;
  let host: TestHost;
  beforeEach(async () => {
    seen = [];
    answers = {};
    statuses = {};
    challenge = undefined;
    http = createServer(async (request, response) => {
      const { url = '', headers } = request;
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ path: url, headers, body });
      const answer = answers[url];
      if (statuses[url]) response.writeHead(statuses[url]).end();
      else if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(answer);
      else if (answer) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      else if (url.startsWith('/.well-known/')) response.writeHead(404).end();
      else
        response
          .writeHead(headers.authorization ? 403 : 401, { ...(challenge && { 'www-authenticate': challenge }) })
          .end();
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

  it("sends the protocol version with each metadata request, beginning at the server's path @discovery.sends-protocol-version", async () => {
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
  const signIn = async (page: (origin: string) => string, fails?: (error: Error) => boolean) => {
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
    const signsIn = host.server('box').account.signIn(AbortSignal.timeout(120_000));
    if (fails) return assert.rejects(signsIn, fails);
    await assert.rejects(signsIn);
    assert.ok(seen.some(({ path }) => path === '/.well-known/oauth-authorization-server'));
  };

  it('is followed by registration as a native application, with its redirect and both grants @discovery.followed-registration', async () => {
    await signIn(origin => `${origin}/authorize`);
    const { body } = seen.find(({ path }) => path === '/register')!;
    const { application_type, redirect_uris, grant_types } = JSON.parse(body) as Record<string, unknown>;
    assert.equal(application_type, 'native');
    assert.deepEqual(redirect_uris, [auth.requests[0]!.redirect.uri]);
    assert.deepEqual(grant_types, ['authorization_code', 'refresh_token']);
  });

  it('asks for the metadata of OAuth, then for that of OpenID Connect @discovery.asks-metadata-oauth', async () => {
    const { port } = http.address() as AddressInfo;
    host.configure({ box: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } });
    await host.reaches('box', 'needsAuth');
    await assert.rejects(host.server('box').account.signIn(AbortSignal.timeout(120_000)));
    const asked = seen.map(({ path }) => path).filter(path => /oauth-authorization-server|openid/.test(path));
    assert.deepEqual(asked.slice(0, 2), [
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
    ]);
  });

  it('reads the metadata of the resource at the address that a challenge names @discovery.reads-metadata-resource', async () => {
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    challenge = `Bearer resource_metadata="${origin}/elsewhere"`;
    answers['/elsewhere'] = { resource: `${origin}/mcp`, authorization_servers: [`${origin}/as`] };
    host.configure({ box: { type: 'http', url: `${origin}/mcp` } });
    await host.reaches('box', 'needsAuth');
    await assert.rejects(host.server('box').account.signIn(AbortSignal.timeout(120_000)));
    const paths = seen.map(({ path }) => path);
    assert.ok(
      paths.includes('/elsewhere') && paths.includes('/.well-known/oauth-authorization-server/as'),
      paths.join(),
    );
  });

  const ELSEWHERE = '/elsewhere';
  const WELL_KNOWN = '/.well-known/oauth-protected-resource/mcp';
  const UNUSABLE: [what: string, answer: (origin: string) => number | object | string, why: RegExp][] = [
    ['HTTP 500', () => 500, /\(HTTP 500\)\. Try again later\./],
    ['HTTP 404', () => 404, /\(HTTP 404\)/],
    ['a page', () => '<html></html>', /\(it is not JSON\)\. This is a bug in the server/],
    [
      'an invalid member',
      origin => ({ resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: 'read' }),
      /\(scopes_supported: [^)]*array[^)]*\)/,
    ],
    ['an address that is none', origin => ({ resource: `${origin}/mcp`, authorization_servers: ['here'] }), /\(author/],
    ['no authorization server', origin => ({ resource: `${origin}/mcp` }), /\(it lists no "authorization_servers"\)/],
    ['an empty list', origin => ({ resource: `${origin}/mcp`, authorization_servers: [] }), /\(it lists no "author/],
  ];
  for (const [what, answer, why] of UNUSABLE)
    for (const place of [ELSEWHERE, WELL_KNOWN]) {
      const isNamed = place === ELSEWHERE;
      if (!isNamed && typeof answer('') !== 'object') continue;
      it(`ends, and names it, if the metadata ${isNamed ? 'that a challenge names' : 'of the server'} is ${what}`, async () => {
        const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
        if (isNamed) challenge = `Bearer resource_metadata="${origin}${place}"`;
        const given = answer(origin);
        if (typeof given === 'number') statuses[place] = given;
        else answers[place] = given;
        await signIn(
          () => `${origin}/authorize`,
          (error: Error) => {
            assert.match(error.message, new RegExp(`where to sign in, ${origin}${place}, can't be used`));
            assert.match(error.message, why);
            return true;
          },
        );
        assert.deepEqual(auth.requests, []);
        assert.ok(!seen.some(({ path }) => /authorization-server|openid|register|token/.test(path)));
      });
    }

  for (const [what, answer] of UNUSABLE.slice(0, 3))
    it(`uses the server's own origin if nobody names metadata, and its place has ${what}`, async () => {
      const given = answer('');
      if (typeof given === 'number') statuses[WELL_KNOWN] = given;
      else answers[WELL_KNOWN] = given as string;
      await signIn(origin => `${origin}/authorize`);
      assert.equal(auth.requests.length, 1);
    });

  it('requests the scopes of the challenge and no others, whatever the server supports @discovery.requests-scopes-challenge', async () => {
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const resource = { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['read', 'all'] };
    answers['/.well-known/oauth-protected-resource/mcp'] = resource;
    challenge = 'Bearer scope="write"';
    await signIn(() => `${origin}/authorize`);
    assert.deepEqual(auth.requests[0]!.scopes, ['write']);
  });

  it('is repeated three times at most for a request that never has enough permissions @discovery.repeated-three-times', async () => {
    await signIn(origin => `${origin}/authorize`);
    answers['/token'] = { access_token: 'a', token_type: 'Bearer' };
    challenge = 'Bearer error="insufficient_scope", scope="more"';
    auth.requests.length = 0;
    auth.browse = async ({ url }) => new URLSearchParams({ code: 'a', state: url.searchParams.get('state')! });
    const { definition } = host.server('box');
    const url = new URL((definition.entry as { url: string }).url);
    const authorizer = new Authorizer({
      port: auth,
      server: definition,
      url,
      settings: undefined,
      clientName: 'test',
      learn: () => undefined,
    });
    try {
      await authorizer.signIn(AbortSignal.timeout(120_000));
      const call = authorizer.fetch(url, { method: 'POST', body: '{"method":"tools/call"}' });
      await assert.rejects(call, /more permissions than you granted/);
      assert.equal(auth.requests.length, 1 + 3);
    } finally {
      authorizer.dispose();
    }
  });

  it('opens the browser for a page on this machine', async () => {
    await signIn(origin => `${origin}/authorize`);
    assert.equal(auth.requests.length, 1);
  });

  for (const page of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'vbscript:x', 'vscode://x/y']) {
    it(`opens no browser for a page at ${page} @discovery.opens-browser-page`, async () => {
      await signIn(() => page);
      assert.deepEqual(auth.requests, []);
    });
  }
});

describe('the resource that a token is requested for', () => {
  /** A server of this address, with this metadata or none. */
  const resourceOf = async (address: string, resource?: string) => {
    const metadata = { resource, authorization_servers: ['https://as.example.com'] };
    const found = await discover(new URL(address), undefined, async url =>
      resource !== undefined && String(url).includes('oauth-protected-resource')
        ? Response.json(metadata)
        : new Response('', { status: 404 }),
    );
    return found.resource;
  };

  it('is the address without query and trailing slash, where there is no metadata @discovery.address-query-trailing', async () => {
    assert.equal(await resourceOf('https://Example.com/mcp?key=1#x'), 'https://example.com/mcp');
    assert.equal(await resourceOf('https://example.com/'), 'https://example.com');
  });

  it('may have scheme and host in capitals @discovery.scheme-host-capitals', async () => {
    assert.equal(await resourceOf('https://example.com/mcp', 'HTTPS://EXAMPLE.COM/mcp'), 'HTTPS://EXAMPLE.COM/mcp');
  });

  it('is refused when it is that of another server @discovery.refused-server', async () => {
    await assert.rejects(resourceOf('https://example.com/mcp', 'https://example.org/mcp'));
  });
});
