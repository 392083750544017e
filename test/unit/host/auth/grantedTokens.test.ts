import assert from 'node:assert/strict';
import { raw } from '../../../setup/raw';
import { SHARED, TestAuth } from '../testAuth';
import { ScriptedLogin } from './scriptedLogin';
import { addressesDuring } from './sentAddresses';

const signal = () => AbortSignal.timeout(120_000);
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';

describe('enterprise-managed authorization', function () {
  this.timeout(60_000);
  let login: ScriptedLogin;
  before(async () => {
    login = await ScriptedLogin.start();
  });
  afterEach(() => login.renew());
  after(() => login.close());

  const oauth = (more: object = {}, provider: object = {}) => ({
    grant: 'jwt_bearer',
    clientId: 'here',
    clientSecret: 'secret-at-the-server',
    identityProvider: {
      issuer: login.places.provider,
      clientId: 'there',
      clientSecret: 'secret-at-the-provider',
      ...provider,
    },
    ...more,
  });
  const open = async (settings = oauth(), more: Parameters<ScriptedLogin['open']>[1] = {}) => {
    const window = await login.open(settings, more);
    for (const name of more?.names ?? ['box']) await window.host.reaches(name, 'needsAuth');
    return window;
  };
  const exchanges = async () =>
    (await login.asked('/token', 'provider')).filter(({ grant_type }) => grant_type?.endsWith('token-exchange'));
  const signedIn = async (...args: Parameters<typeof open>) => {
    const window = await open(...args);
    await window.signIn(args[1]?.names?.[0]);
    return window;
  };
  const echo = ({ box }: Awaited<ReturnType<typeof open>>) =>
    raw(box).callTool(box.catalog.tools.find(({ name }) => name === 'echo')!, { text: 'hello' });

  it('signs the person in at their identity provider, which vouches for them at the server @organization.signs-person-identity', async () => {
    const { auth, box } = await signedIn();
    const [request] = auth.requests;
    assert.equal(request!.issuer, login.places.provider);
    assert.equal(request!.isShared, true);
    assert.deepEqual(request!.scopes, ['openid', 'offline_access']);
    const [opened] = await login.asked('/authorize', 'provider');
    assert.ok(opened!.nonce && opened!.state && opened!.code_challenge);
    assert.equal(opened!.resource, undefined, 'it is no token for the server');
    assert.deepEqual(await login.asked('/authorize'), [], 'nobody signs in at the server');

    const [exchange = assert.fail()] = await exchanges();
    const { requested_token_type, audience, resource, scope, subject_token_type, client_id, client_secret } = exchange;
    assert.deepEqual(
      { requested_token_type, audience, resource, scope, subject_token_type, client_id, client_secret },
      {
        requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        audience: login.places.server,
        resource: login.places.resource,
        scope: 'read',
        subject_token_type: ID_TOKEN,
        client_id: 'there',
        client_secret: 'secret-at-the-provider',
      },
    );
    assert.ok(exchange.subject_token, 'what the provider vouches for');
    const [grant = assert.fail()] = await login.asked('/token');
    assert.ok(grant.assertion, 'what the provider gave');
    assert.deepEqual(
      [grant.grant_type, grant.scope, grant.resource, grant.client_id, grant.client_secret],
      ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'read', login.places.resource, 'here', 'secret-at-the-server'],
    );
    assert.deepEqual(
      [box.account.signedIn?.issuer, box.account.signedIn?.account],
      [login.places.provider, 'alice@example.com'],
    );
  });

  it('has no assertion and no token in an address @organization.assertion-token-address', async () => {
    const addresses = await addressesDuring(async () => echo(await signedIn()));
    assert.ok(addresses.filter(address => address.startsWith('/token')).length > 2, addresses.join());
    assert.ok(addresses.every(address => !/assertion|token=|eyJ/.test(address)));
  });

  it('shares one sign-in among all servers of the organization, in all windows', async () => {
    const { auth, host, box } = await signedIn(oauth(), { names: ['box', 'other'] });
    await host.server('other').account.signIn(signal());
    await host.loads('other');
    const next = await login.open(oauth(), { auth: new TestAuth(undefined, auth) });
    await next.host.loads('box');
    await box.restart('test');
    await host.loads('box');
    assert.equal(auth.requests.length + next.auth.requests.length, 1);
    assert.deepEqual([...auth.values.keys()].filter(key => key.startsWith(SHARED)).length, 1);
    assert.equal((await login.asked('/authorize', 'provider')).length, 1);
  });

  it('is not shared with another client or provider', async () => {
    const { auth } = await signedIn();
    const other = await open(oauth({}, { clientId: 'another' }), { auth: new TestAuth(undefined, auth) });
    assert.deepEqual(other.auth.requests, []);
    assert.equal((await exchanges()).length, 1);
  });

  it("requests the identity assertion at the provider's own endpoint, whatever else settings name @organization.requests-identity", async () => {
    const { auth } = await signedIn();
    const tokenUrl = `${login.places.server}/token`;
    const { host } = await login.open(oauth({}, { tokenUrl }), { auth: new TestAuth(undefined, auth) });
    await host.loads('box');
    assert.equal((await exchanges()).length, 2);
    assert.ok((await login.asked('/token')).every(({ subject_token }) => subject_token === undefined));
  });

  it('renews an expired token without a browser', async () => {
    const window = await signedIn();
    await login.endTokens();
    await Promise.all([echo(window), echo(window), echo(window)]);
    assert.equal((await exchanges()).length, 2);
    assert.equal(window.auth.requests.length, 1);
  });

  it('renews the assertion before it is sent', async () => {
    const window = await signedIn();
    const { values } = window.auth;
    const [[key, kept] = assert.fail()] = [...values].filter(([name]) => name.startsWith(SHARED));
    const keyring = JSON.parse(kept);
    const { tokens } = keyring.byIssuer[login.places.provider];
    tokens.id_token = `x.${Buffer.from(JSON.stringify({ exp: 1 })).toString('base64url')}.x`;
    values.set(key, JSON.stringify(keyring));
    await login.endTokens();
    await echo(window);
    const grants = (await login.asked('/token', 'provider')).map(({ grant_type }) => grant_type!.replace(/.*:/, ''));
    assert.deepEqual(grants, ['authorization_code', 'token-exchange', 'refresh_token', 'token-exchange']);
    assert.notEqual((await exchanges())[1]!.subject_token, tokens.id_token);
    assert.equal(window.auth.requests.length, 1);
  });

  it('sends the refresh token as the assertion when there is no new ID token', async () => {
    await login.play({ isThrifty: true });
    const window = await signedIn();
    const { values } = window.auth;
    const [[key, kept] = assert.fail()] = [...values].filter(([name]) => name.startsWith(SHARED));
    values.set(key, kept.replace(/"id_token":"[^"]+"/, '"id_token":"x.e30.x"'));
    await login.endTokens();
    await echo(window);
    const [, exchange] = await exchanges();
    assert.equal(exchange!.subject_token_type, 'urn:ietf:params:oauth:token-type:refresh_token');
    assert.match(exchange!.subject_token!, /^r-/);
  });

  it('requests additional permissions that a call needs, without a browser @organization.requests-additional', async () => {
    const { auth, box } = await signedIn();
    await raw(box).callTool(box.catalog.tools.find(({ name }) => name === 'wait')!, { ms: 1 });
    assert.equal((await exchanges()).at(-1)!.scope, 'read write');
    assert.equal((await login.asked('/token')).at(-1)!.scope, 'read write');
    assert.equal(auth.requests.length, 1);
  });

  it('accepts fewer permissions, which signing in cannot change @organization.accepts-fewer-permissions', async () => {
    await login.play({ allows: 'read' });
    const { auth, box } = await signedIn(oauth({ scopes: ['read', 'admin'] }));
    assert.equal((await exchanges())[0]!.scope, 'read admin');
    assert.equal((await login.asked('/token'))[0]!.scope, 'read', 'no more is asked for than was allowed');
    await assert.rejects(
      raw(box).callTool(box.catalog.tools.find(({ name }) => name === 'wait')!, { ms: 1 }),
      /more permissions than you granted: write \(HTTP 403\)\. Ask your administrator for access\./,
    );
    assert.equal(auth.requests.length, 1);
  });

  it("reports a refused access with the organization's name and the remedy, and starts no sign-in", async () => {
    await login.play({ refuses: { 'token-exchange': 'access_denied' } });
    const { host, box } = await open();
    await box.account.signIn(signal()).catch(() => {});
    const { error } = await host.reaches('box', 'failed');
    assert.match(
      error.message,
      /^MCP server "box" could not \w+: http:\S+, which manages access to it, refused \(access_denied\): as the script says\. Ask your administrator for access\./,
    );
  });

  it('asks the person again when the provider has forgotten their sign-in', async () => {
    const window = await signedIn();
    await login.play({ refuses: { 'token-exchange': 'invalid_grant' } });
    await login.endTokens();
    await assert.rejects(echo(window), /your sign-in has ended\. Choose "Sign In" on its row/);
    await window.host.reaches('box', 'needsAuth');
    await login.play({});
    await window.signIn();
    assert.equal(window.auth.requests.length, 2);
  });

  it('forgets the identity when the person signs out', async () => {
    const { auth, host, box } = await signedIn();
    await box.account.signOut();
    await host.reaches('box', 'needsAuth');
    assert.equal(auth.values.size, 0);
  });

  it('accepts an ID token only for this sign-in, from its issuer and for its client @organization.accepts-id-token', async () => {
    for (const claims of [{ nonce: 'another' }, { aud: 'another' }, { iss: 'https://evil.example' }, { exp: 1 }]) {
      await login.play({ claims });
      const { auth, box } = await open();
      await assert.rejects(
        box.account.signIn(signal()),
        /the identity that http:\S+ returned does not belong to this sign-in and was not used/,
        JSON.stringify(claims),
      );
      assert.equal(auth.values.size, 0);
    }
    assert.deepEqual(await exchanges(), []);
  });

  it('requires metadata of the provider', async () => {
    const { box } = await open(oauth({}, { issuer: `${login.places.resource}/nowhere` }));
    await assert.rejects(
      box.account.signIn(signal()),
      /nowhere does not describe itself as an identity provider\. Check "oauth"/,
    );
  });

  it('authenticates a program by the assertion in its settings, at the endpoint there, with its secret @organization.authenticates-program', async () => {
    const settings = oauth({ assertion: 'a.b.c' }, { issuer: undefined, tokenUrl: `${login.places.provider}/token` });
    const { auth, host } = await login.open(settings);
    await host.loads('box');
    const [exchange] = await exchanges();
    assert.deepEqual(
      [exchange!.subject_token, exchange!.subject_token_type, exchange!.client_secret, exchange!.scope],
      ['a.b.c', ID_TOKEN, 'secret-at-the-provider', 'read'],
    );
    assert.deepEqual(auth.requests, []);
  });

  it('requires an issuer or an assertion', async () => {
    const noPlace = { issuer: undefined };
    for (const settings of [
      oauth({}, noPlace),
      oauth({}, { ...noPlace, tokenUrl: `${login.places.provider}/token` }),
      oauth({ assertion: 'a.b.c' }, noPlace),
      oauth({ identityProvider: undefined }),
    ]) {
      const { host } = await login.open(settings);
      const { error } = await host.reaches('box', 'failed');
      assert.match(error.message, /lacks an "assertion", or the "issuer" of an "identityProvider"\. Check "oauth"/);
    }
  });

  it('identifies this host at the server by its published document, otherwise only by a "clientId"', async () => {
    const settings = oauth({ clientId: undefined, clientSecret: undefined });
    const auth = Object.assign(new TestAuth(), { clientMetadataUrl: 'https://me.example/oauth-client.json' });
    const { box, host, signIn } = await login.open(settings, { auth });
    const { error } = await host.reaches('box', 'failed');
    assert.match(error.message, /requires a "clientId"\. Check "oauth"/);
    await login.play({ metadata: { client_id_metadata_document_supported: true } });
    await box.restart('test');
    await host.reaches('box', 'needsAuth');
    await signIn();
    assert.equal((await login.asked('/token')).at(-1)!.client_id, 'https://me.example/oauth-client.json');
  });

  it('keeps assertions out of every log @organization.keeps-assertions-log', async () => {
    const { auth, host, box } = await signedIn();
    const kept = [...auth.values].find(([key]) => key.startsWith(SHARED))?.[1] ?? assert.fail();
    const { access_token, refresh_token, id_token } = JSON.parse(kept).byIssuer[login.places.provider].tokens;
    const [{ subject_token } = assert.fail()] = await exchanges();
    const [{ assertion } = assert.fail()] = await login.asked('/token');
    const logs = JSON.stringify(host.logs);
    for (const secret of [access_token, refresh_token, id_token, subject_token, assertion]) {
      assert.ok(secret && !logs.includes(secret));
      assert.equal(box.redact(secret), '•••');
    }
  });
});
