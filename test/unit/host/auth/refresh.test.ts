import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { raw } from '../../../setup/raw';
import { ScriptedLogin } from './scriptedLogin';

const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const SERVER = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';
const PROGRAM = { grant: 'client_credentials', clientId: 'me', clientSecret: 'my-own-secret' };
/** More than there are attempts. */
const lasting = (status: number) => Array.from({ length: 20 }, () => status);

describe('renewing tokens', function () {
  this.timeout(60_000);
  let login: ScriptedLogin;
  before(async () => {
    login = await ScriptedLogin.start();
  });
  afterEach(() => login.renew());
  after(() => login.close());

  type Window = Awaited<ReturnType<ScriptedLogin['open']>>;
  const echo = ({ box }: Window) =>
    raw(box).callTool(box.catalog.tools.find(({ name }) => name === 'echo')!, { text: 'hello' });
  /** A window with a sign-in, whose access token has just ended. */
  const signedIn = async (oauth?: object): Promise<Window> => {
    const window = await login.open(oauth);
    if (oauth) await window.host.loads('box');
    else {
      await window.host.reaches('box', 'needsAuth');
      await window.signIn();
    }
    await login.endTokens();
    return window;
  };

  const PASSING: [path: string, statuses: number[]][] = [
    ['/token', [502, 503]],
    ['/token', [429, 504]],
    ['/token', [0, 0]],
    [SERVER, [503]],
    [SERVER, [0]],
    [RESOURCE, [502]],
    [RESOURCE, [503]],
  ];
  for (const [path, statuses] of PASSING)
    it(`goes on after ${path} has answered with ${statuses.join(' and ')}`, async () => {
      for (const oauth of [undefined, PROGRAM]) {
        const window = await signedIn(oauth);
        await login.play({ failures: { [path]: [...statuses] } });
        const { content } = await echo(window);
        assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
        assert.equal(window.box.state.kind, 'ready');
      }
    });

  const LASTING: [path: string, status: number, message: RegExp][] = [
    ['/token', 500, /127\.0\.0\.1:\d+\S* is not available \(HTTP 500/],
    ['/token', 503, /127\.0\.0\.1:\d+ is not available \(HTTP 503\)/],
    ['/token', 0, /127\.0\.0\.1:\d+ is not available \(ECONNRESET\)/],
    [SERVER, 502, /document that says where to sign in, \S+oauth-authorization-server, can't be used \(HTTP 502\)/],
    [SERVER, 503, /127\.0\.0\.1:\d+ is not available \(HTTP 503\)/],
    [
      RESOURCE,
      500,
      /document that says where to sign in, \S+oauth-protected-resource\/mcp, can't be used \(HTTP 500\)/,
    ],
    [
      RESOURCE,
      502,
      /document that says where to sign in, \S+oauth-protected-resource\/mcp, can't be used \(HTTP 502\)/,
    ],
  ];
  for (const [path, status, message] of LASTING)
    it(`keeps the sign-in, and names the cause, while ${path} answers with ${status} @refresh.keeps-sign-names`, async () => {
      const window = await signedIn();
      const kept = [...window.auth.values.values()].join();
      await login.play({ failures: { [path]: lasting(status), [OPENID]: lasting(status) } });
      await assert.rejects(echo(window), (error: Error) => {
        assert.match(error.message, message);
        assert.match(error.message, /Try again later\.$/);
        return true;
      });
      assert.equal(window.box.state.kind, 'ready');
      assert.equal([...window.auth.values.values()].join(), kept);
      await login.play({});
      await echo(window);
      assert.equal(window.auth.requests.length, 1, 'the person signed in once');
    });

  it('happens 30 seconds before a token expires', async () => {
    let now = Date.now();
    mock.method(Date, 'now', () => now);
    try {
      await login.play({ lifeSeconds: 31 });
      const window = await login.open();
      await window.host.reaches('box', 'needsAuth');
      await window.signIn();
      const renewals = async (ms: number) => {
        now += ms;
        await echo(window);
        return (await login.asked('/token')).filter(({ grant_type }) => grant_type === 'refresh_token').length;
      };
      assert.deepEqual([await renewals(1_000), await renewals(1)], [0, 1]);
    } finally {
      mock.restoreAll();
    }
  });

  it('is repeated until it works when a server starts, without asking a person @refresh.repeated-works-server', async () => {
    const { auth } = await signedIn();
    await login.play({ failures: { '/token': lasting(503) } });
    const { host } = await login.open(undefined, { auth });
    const { error } = await host.reaches('box', 'failed');
    assert.equal(error.code, 'UNREACHABLE');
    await login.play({});
    await host.loads('box');
    assert.equal(auth.requests.length, 1);
  });
});

describe('a client with a secret', function () {
  this.timeout(60_000);

  it('sends id and secret encoded as in a form, with each request for tokens (RFC 6749, 2.3.1)', async () => {
    const login = await ScriptedLogin.start();
    try {
      const me = { clientId: 'a:b c%', clientSecret: 'p%41+w&:ö secret' };
      await login.play({ metadata: { revocation_endpoint: `${login.places.server}/revoke` } });
      const window = await login.open(me);
      await window.host.reaches('box', 'needsAuth');
      await window.signIn();
      await login.endTokens();
      await raw(window.box).callTool(window.box.catalog.tools.find(({ name }) => name === 'echo')!, { text: 'hello' });
      assert.equal(await window.box.account.signOut(), true);
      const program = await login.open({ ...me, grant: 'client_credentials' });
      await program.host.loads('box');
      const asked = [...(await login.asked('/token')), ...(await login.asked('/revoke'))];
      assert.deepEqual(
        asked.map(({ grant_type, token_type_hint, client_id, client_secret }) => [
          grant_type ?? token_type_hint,
          client_id,
          client_secret,
        ]),
        ['authorization_code', 'refresh_token', 'client_credentials', 'refresh_token', 'access_token'].map(what => [
          what,
          me.clientId,
          me.clientSecret,
        ]),
      );
    } finally {
      await login.close();
    }
  });
});
