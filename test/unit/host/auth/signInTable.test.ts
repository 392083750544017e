import assert from 'node:assert/strict';
import { isSameIssuer } from '../../../../src/host/auth/discovery';
import { throughLoginPage } from '../../../servers/loginPage';
import type { LoginVariant, SeenGrant } from '../../../servers/protected';
import { type HttpServerFixture, startHttpServer } from '../../../servers/spawn';
import { TestAuth } from '../testAuth';
import { TestHost } from '../testHost';

const BACK = 'http://127.0.0.1:9/callback';
const CLIENT = { clientId: 'registered', clientSecret: 'registered-secret-of-the-fixture', scopes: ['openid', 'read'] };
const OTHER = 'https://login.example';
const PKCE = 'code_challenge_methods_supported';

/** The addresses of the MCP server's origin and of its authorization server. */
interface Places {
  readonly mcp: string;
  readonly login: string;
}

interface Row {
  readonly what: string;
  readonly variant?: (places: Places) => LoginVariant;
  /** The authorization server that the MCP server names. Default: by its address. */
  readonly named?: (places: Places) => string;
  /** `oauth` of the entry with which it works. Default: none. */
  readonly accepts?: (places: Places) => object;
  /** The message without it; absent where none is needed. */
  readonly refused?: (places: Places) => string[];
}

const pkceMissing = () => ({ metadata: { [PKCE]: null } });

const ROWS: Row[] = [
  { what: 'an issuer with the slash of an empty path', variant: ({ login }) => ({ issuer: `${login}/` }) },
  { what: 'an issuer without the slash of an empty path', named: ({ login }) => `${login}/` },
  {
    what: 'an issuer of another name',
    variant: () => ({ issuer: OTHER }),
    accepts: () => ({ issuer: OTHER }),
    refused: ({ login }) => [
      `the authorization server at ${login} calls itself ${OTHER}. Nothing was sent there.`,
      `add "oauth": { "issuer": "${OTHER}" } to its settings entry. An authorization server at another address may use`,
    ],
  },
  {
    what: 'an issuer with a default port, which the entry has without',
    variant: () => ({ issuer: `${OTHER}:443/` }),
    accepts: () => ({ issuer: OTHER }),
    refused: () => [`calls itself ${OTHER}:443/`],
  },
  {
    what: 'PKCE that is not announced',
    variant: pkceMissing,
    accepts: () => ({ pkce: 'assumed' }),
    refused: ({ login }) => [
      `${login} does not announce that it protects sign-ins with PKCE (S256), which the specification requires`,
      'add "oauth": { "pkce": "assumed" } to its settings entry. If the authorization server does not check PKCE, a stolen',
    ],
  },
  {
    what: 'no metadata at all',
    variant: () => ({ isHidden: true }),
    accepts: ({ login }) => ({ ...CLIENT, authorizationUrl: `${login}/auth`, tokenUrl: `${login}/token` }),
    refused: () => [
      'it offers no way to sign in.',
      'add "oauth": { "authorizationUrl": "…", "tokenUrl": "…", "clientId": "…" } to its settings entry. Nothing confirms',
    ],
  },
  {
    what: 'no metadata, and answers in the name of another issuer',
    variant: () => ({ isHidden: true, issuer: OTHER }),
    accepts: ({ login }) => ({
      ...CLIENT,
      authorizationUrl: `${login}/auth`,
      tokenUrl: `${login}/token`,
      issuer: OTHER,
    }),
  },
  {
    what: 'metadata below the path of the server, in the name of that',
    variant: ({ mcp }) => ({ isBelow: true, issuer: `${mcp}/mcp` }),
  },
  {
    what: 'metadata below the path of the server, in the name of its origin',
    variant: ({ mcp }) => ({ isBelow: true, issuer: mcp }),
  },
  {
    what: 'metadata below the path of the server, in another name',
    variant: () => ({ isBelow: true, issuer: OTHER }),
    accepts: () => ({ issuer: OTHER }),
    refused: ({ mcp }) => [`the authorization server at ${mcp}/mcp calls itself ${OTHER}`],
  },
  {
    what: 'requests that must not name a resource',
    variant: () => ({ refusesResource: true }),
    accepts: () => ({ resource: false }),
    refused: ({ login }) => [
      `${login} refused the sign-in (invalid_target)`,
      'add "oauth": { "resource": false } to its settings entry. Tokens may not be limited to this server',
    ],
  },
];

const TOKEN_ERRORS: [what: string, token: NonNullable<LoginVariant['token']>, said: string][] = [
  [
    'a list',
    { status: 400, body: '[{"error":"invalid_grant","error_description":"Used twice"}]' },
    '(invalid_grant): Used twice',
  ],
  ['text', { status: 401, type: 'text/plain', body: 'Client is switched off' }, '(HTTP 401): Client is switched off'],
  [
    'a page',
    { status: 403, type: 'text/html', body: '<html><style>p{}</style><p>Ask&nbsp;the <b>IT</b> department</p></html>' },
    '(HTTP 403): Ask the IT department',
  ],
  ['a redirect', { status: 302, body: '' }, '(HTTP 302): HTTP 302'],
  ['nothing', { status: 401, body: '' }, '(HTTP 401): HTTP 401'],
  ['a form, with status 200', { status: 200, body: 'error=bad_code&error_description=Too+old' }, '(bad_code): Too old'],
  [
    'JSON of another form',
    { status: 401, body: '{"errorCode":"E0001","errorSummary":"No such app"}' },
    '(E0001): No such app',
  ],
  [
    'nested JSON',
    { status: 400, body: '{"error":{"code":400,"message":"Bad id","status":"INVALID"}}' },
    '(INVALID): Bad id',
  ],
  [
    'a refusal with status 200',
    { status: 200, body: '{"ok":false,"error":"invalid_code"}' },
    '(invalid_code): invalid_code',
  ],
];

describe('the table of sign-ins, with oidc-provider: a sign-in with', function () {
  this.timeout(60_000);
  let server: HttpServerFixture;
  let places: Places;
  const hosts: TestHost[] = [];
  before(async () => {
    server = await startHttpServer('protected');
    const metadata = await fetch(server.url('/.well-known/oauth-protected-resource/mcp'));
    const { authorization_servers } = (await metadata.json()) as { authorization_servers: string[] };
    places = { mcp: server.url(''), login: authorization_servers[0]! };
  });
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map(host => host.close()));
    await put('/__new');
  });
  after(() => server.stop());

  const put = async (path: string, body?: object) => {
    const init = { method: 'PUT', ...(body && { body: JSON.stringify(body) }) };
    assert.equal((await fetch(server.url(path), init)).status, 204);
  };
  const play = async ({ variant, named }: Pick<Row, 'variant' | 'named'>) => {
    await put('/__variant', variant?.(places) ?? {});
    if (named) await put(`/__issuer?url=${encodeURIComponent(named(places))}`);
  };
  const granted = async () =>
    ((await (await fetch(server.url('/__tokens'))).json()) as SeenGrant[]).filter(({ what }) => what === 'grant')
      .length;
  /** A window of a person who goes through the login page. */
  const open = async (oauth?: object, auth = new TestAuth([BACK])) => {
    auth.browse = async ({ url, redirect }) => (await throughLoginPage(url, redirect.uri)).searchParams;
    const host = new TestHost({ auth });
    hosts.push(host);
    host.configure({ box: { url: server.url('/mcp'), ...(oauth && { oauth }) } });
    const box = host.server('box');
    const signIn = () => box.account.signIn(AbortSignal.timeout(120_000));
    return { auth, host, box, signIn };
  };
  const signsIn = async (oauth?: object) => {
    const window = await open(oauth);
    await window.host.reaches('box', 'needsAuth');
    await window.signIn();
    await window.host.loads('box');
    return window;
  };
  const refuses = async (parts: readonly string[], oauth?: object) => {
    const window = await open(oauth);
    await window.host.reaches('box', 'needsAuth');
    await assert.rejects(window.signIn(), (error: Error) => {
      for (const part of parts) assert.ok(error.message.includes(part), `${error.message}\nlacks: ${part}`);
      return true;
    });
    assert.equal(await granted(), 0);
    assert.deepEqual([...window.auth.values], [], 'nothing is kept');
  };

  for (const { what, variant, named, accepts, refused } of ROWS) {
    it(`${what} ${accepts ? 'works with its exception' : 'works'}`, async () => {
      await play({ ...(variant && { variant }), ...(named && { named }) });
      const { auth } = await signsIn(accepts?.(places));
      assert.equal(await granted(), 1);
      const [request] = auth.requests;
      assert.equal(request!.url.searchParams.get('code_challenge_method'), 'S256', 'PKCE is always sent');
    });
    if (refused)
      it(`${what} names, without it, who was asked, what came, which field accepts it and what that gives up`, async () => {
        await play({ ...(variant && { variant }) });
        await refuses(refused(places));
      });
  }

  for (const [what, token, said] of TOKEN_ERRORS)
    it(`${what} instead of tokens shows what it says`, async () => {
      await put('/__variant', { token });
      await refuses([`${places.login} refused ${said}. Check "oauth" in its settings entry, or sign in again.`]);
    });

  it('addresses by hand asks nothing else: no metadata, no registration', async () => {
    await put('/__variant', { isHidden: true });
    const { auth, box } = await signsIn({
      ...CLIENT,
      authorizationUrl: `${places.login}/auth?prompt=login`,
      tokenUrl: `${places.login}/token`,
    });
    const [request] = auth.requests;
    assert.equal(request!.url.searchParams.get('client_id'), 'registered');
    assert.equal(request!.url.searchParams.get('prompt'), 'login', 'what the address has already stays');
    assert.deepEqual(request!.scopes, CLIENT.scopes);
    assert.equal(box.account.signedIn?.issuer, `${places.login}/token`);
  });

  it('addresses by hand, of two places, refuses an answer in the name of a third, and names it', async () => {
    await put('/__variant', { isHidden: true, issuer: OTHER });
    const oauth = { ...CLIENT, authorizationUrl: `${places.login}/auth`, tokenUrl: `${places.login}/token` };
    await refuses([`It names ${OTHER}. To sign in all the same, add "oauth": { "issuer": "${OTHER}" }`], oauth);
  });

  it('PKCE that is refused in metadata is not possible, whatever the entry says', async () => {
    await put('/__variant', { metadata: { [PKCE]: ['plain'] } });
    await refuses(['does not announce that it protects sign-ins with PKCE'], { pkce: 'assumed' });
  });

  describe('an exception applies to no other', () => {
    it('issuer: any name but that in the entry is refused @signInTable.issuer-name-entry', async () => {
      await put('/__variant', { issuer: 'https://evil.example' });
      await refuses([`calls itself https://evil.example, and not ${OTHER} as its settings entry says`], {
        issuer: OTHER,
      });
    });

    it('server: the entry beside it is refused as before @signInTable.server-entry-beside', async () => {
      const byHand = { ...CLIENT, authorizationUrl: `${places.login}/auth`, tokenUrl: `${places.login}/token` };
      for (const [variant, oauth, browsed] of [
        [{ issuer: OTHER }, { issuer: OTHER }, 1],
        [pkceMissing(), { pkce: 'assumed' }, 1],
        [{ isHidden: true }, byHand, 1],
        // Only the authorization server refuses it, in the browser.
        [{ refusesResource: true }, { resource: false }, 2],
      ] as const) {
        await put('/__variant', variant);
        const { host, auth } = await signsIn(oauth);
        const entry = { url: server.url('/mcp') };
        host.configure({ box: { ...entry, oauth }, beside: entry });
        await host.reaches('beside', 'needsAuth');
        await assert.rejects(
          host.server('beside').account.signIn(AbortSignal.timeout(120_000)),
          /To sign in all the same/,
        );
        assert.equal(auth.requests.length, browsed);
      }
    });

    /** The server names another authorization server, and its tokens count no more. @param variant by default it uses the same name */
    const moved = async (run: () => Promise<unknown>, variant: object = { issuer: OTHER }) => {
      const another = await startHttpServer('protected');
      try {
        await fetch(another.url('/__variant'), { method: 'PUT', body: JSON.stringify(variant) });
        const metadata = await fetch(another.url('/.well-known/oauth-protected-resource/mcp'));
        const { authorization_servers } = (await metadata.json()) as { authorization_servers: string[] };
        await put(`/__issuer?url=${encodeURIComponent(authorization_servers[0]!)}`);
        await fetch(server.url('/__end'), { method: 'DELETE' });
        await run();
        assert.deepEqual(await (await fetch(another.url('/__tokens'))).json(), [], 'it was asked nothing');
      } finally {
        await another.stop();
      }
    };

    it('address: the refresh token goes to no other authorization server that uses the same name @signInTable.address-refresh-token', async () => {
      await put('/__variant', { issuer: OTHER });
      const { host, box } = await signsIn({ issuer: OTHER });
      await moved(async () => {
        await box.restart('test');
        await host.reaches('box', 'needsAuth');
      });
    });

    it('address: nor does the secret of a program @signInTable.address-secret-program', async () => {
      await put('/__variant', { issuer: OTHER });
      const secret = { clientId: 'machine', clientSecret: 'machine-secret-of-the-fixture' };
      const { host, box } = await open({ ...secret, grant: 'client_credentials', issuer: OTHER, scopes: ['read'] });
      await host.loads('box');
      assert.equal(await granted(), 1);
      await moved(async () => {
        await box.restart('test');
        const { error } = await host.reaches('box', 'failed');
        assert.match(error.message, /it names \S+ as its authorization server, not /);
      });
    });

    it('address: without "issuer", nor does the secret of a person, unless they sign out first @signInTable.address-issuer-secret', async () => {
      const { host, box, auth } = await signsIn(CLIENT);
      await moved(async () => {
        await box.restart('test');
        await host.reaches('box', 'needsAuth');
        const signIn = () => box.account.signIn(AbortSignal.timeout(120_000));
        await assert.rejects(signIn(), /it names \S+ as its authorization server, not /);
        assert.equal(auth.requests.length, 1, 'nobody was asked to sign in there');
      }, {});
    });
  });
});

describe('two spellings of an issuer', () => {
  const SAME = [
    ['https://login.example', 'https://login.example/'],
    ['https://login.example:443', 'https://login.example'],
    ['https://LOGIN.example/a', 'https://login.example/a'],
    ['https://login.example/{tenantid}/v2.0', 'https://login.example/{tenantid}/v2.0'],
  ] as const;
  for (const [one, other] of SAME)
    it(`${one} and ${other} name one issuer, in both directions`, () => {
      assert.ok(isSameIssuer(one, other) && isSameIssuer(other, one));
    });

  const DIFFERENT = [
    ['https://login.example/a', 'https://login.example/a/'],
    ['https://login.example/a', 'https://login.example/A'],
    ['https://login.example/a', 'https://login.example/b/../a'],
    ['https://login.example', 'https://login.example?tenant=a'],
    ['https://login.example', 'https://login.example#a'],
    ['https://login.example', 'https://login.example@evil.example'],
    ['https://login.example', 'http://login.example'],
    ['https://login.example', 'https://login.example:8443'],
    ['https://login.example', 'https://login.example.evil.example'],
    ['https://login.example', ''],
  ] as const;
  for (const [one, other] of DIFFERENT)
    it(`${one} and ${other || 'nothing'} do not`, () => {
      assert.ok(!isSameIssuer(one, other) && !isSameIssuer(other, one));
    });
});
