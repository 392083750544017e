import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { throughLoginPage } from '../../../servers/loginPage';
import type { SeenGrant } from '../../../servers/protected';
import { type HttpServerFixture, startHttpServer, waitFor } from '../../../servers/spawn';
import { raw } from '../../../setup/raw';
import { TestAuth } from '../testAuth';
import { TestHost } from '../testHost';
import { addressesDuring } from './sentAddresses';

const BACK = 'http://127.0.0.1:9/callback';
const SCHEME = 'vscode://mcp-host.mcp-host/oauth';
/** No authorization server may take one with a fragment. */
const REFUSED = `${SCHEME}#fragment`;
const signal = () => AbortSignal.timeout(120_000);

describe('signing in, with oidc-provider', function () {
  this.timeout(60_000);
  let server: HttpServerFixture;
  let hosts: TestHost[] = [];
  before(async () => {
    server = await startHttpServer('protected');
  });
  afterEach(async () => {
    await Promise.all(hosts.map(host => host.close()));
    hosts = [];
    await put('/__new');
  });
  after(() => server.stop());

  const put = async (path: string) => assert.equal((await fetch(server.url(path), { method: 'PUT' })).status, 204);
  const seenAll = async () => (await (await fetch(server.url('/__tokens'))).json()) as SeenGrant[];
  const seen = async (what: SeenGrant['what'], grant?: string) => {
    const all = await seenAll();
    return all.filter(one => one.what === what && (grant === undefined || one.grant === grant));
  };
  /** A window of a person who goes through the login page. */
  const open = (other?: TestAuth, uris = [BACK], oauth?: object) => {
    const auth = new TestAuth(uris, other);
    auth.browse = async ({ url, redirect }) => (await throughLoginPage(url, redirect.uri)).searchParams;
    const host = new TestHost({ auth });
    hosts.push(host);
    host.configure({ box: { url: server.url('/mcp'), ...(oauth && { oauth }) } });
    return { auth, host, box: host.server('box') };
  };
  const signedIn = async (window = open()) => {
    await window.host.reaches('box', 'needsAuth');
    await window.box.account.signIn(signal());
    await window.host.loads('box');
    return window;
  };
  const echo = ({ box }: ReturnType<typeof open>) =>
    raw(box).callTool(box.catalog.tools.find(({ name }) => name === 'echo')!, { text: 'hello' });

  it("waits for the person, requests the server's scopes, and becomes ready @signIn.waits-person-requests", async () => {
    const window = open();
    const { error } = await window.host.reaches('box', 'needsAuth');
    assert.match(error.message, /requires you to sign in \(HTTP 401\)\. Choose "Sign In" on its row\./);
    assert.equal(window.auth.requests.length, 0, 'nothing opens by itself');
    await signedIn(window);
    const [request] = window.auth.requests;
    assert.deepEqual(request!.scopes, ['read', 'offline_access']);
    assert.equal(request!.url.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(request!.url.searchParams.get('resource'), server.url('/mcp'));
    assert.equal(window.box.account.signedIn?.issuer, request!.issuer);
    await echo(window);
  });

  it('sends tokens in the header only, never in an address @signIn.sends-tokens-header', async () => {
    const window = open();
    const addresses = await addressesDuring(async () => echo(await signedIn(window)));
    const [token = assert.fail('no token')] = [...window.auth.values.values()].map(
      text => /"access_token":"([^"]+)"/.exec(text)?.[1],
    );
    assert.ok(addresses.includes('/mcp'), addresses.join());
    assert.ok(addresses.every(address => !address.includes(token)));
  });

  it('ends when its server is removed, without starting it', async () => {
    const { auth, host, box } = open();
    await host.reaches('box', 'needsAuth');
    auth.browse = () => new Promise(() => {});
    const signsIn = box.account.signIn(signal());
    await waitFor(() => auth.requests.length === 1, { what: 'the browser' });
    const starts = () => host.logs.filter(({ data }) => /^starting/.test(String(data))).length;
    const before = starts();
    host.configure({});
    await assert.rejects(signsIn, { code: 'CANCELLED' });
    assert.deepEqual(auth.closed, [BACK]);
    await assert.rejects(box.account.signIn(signal()), /it was removed from settings/);
    assert.equal(auth.requests.length, 1);
    assert.equal(starts(), before);
  });

  it('keeps tokens out of every log, and away from other servers @signIn.keeps-tokens-log', async () => {
    const { auth, host } = await signedIn();
    const [[key, kept] = assert.fail()] = [...auth.values];
    assert.ok(key.startsWith('box http'));
    const { access_token, refresh_token } = Object.values(
      (JSON.parse(kept) as { byIssuer: Record<string, { tokens: Record<string, string> }> }).byIssuer,
    )[0]!.tokens;
    assert.ok(access_token && refresh_token);
    assert.ok(!JSON.stringify(host.logs).includes(access_token));
    host.configure({ other: { url: server.url('/mcp') }, box: { url: server.url('/mcp') } });
    await host.reaches('other', 'needsAuth');
    assert.equal(host.server('box').redact(`${access_token} ${refresh_token}`), '••• •••');
  });

  it('lasts in the next window, and after a restart, without asking again @signIn.lasts-next-window', async () => {
    const first = await signedIn();
    const second = open(first.auth);
    await second.host.loads('box');
    await first.box.restart('test');
    await first.host.loads('box');
    assert.equal(second.auth.requests.length, 0);
    assert.equal(first.auth.requests.length, 1);
  });

  it('tries the next redirect when the authorization server refuses the first @signIn.tries-next-redirect', async () => {
    const window = open(undefined, [REFUSED, BACK]);
    await signedIn(window);
    assert.equal(window.auth.requests[0]!.redirect.uri, BACK);
  });

  it('returns through the editor where the authorization server allows it', async () => {
    const window = await signedIn(open(undefined, [SCHEME, BACK]));
    assert.equal(window.auth.requests[0]!.redirect.uri, SCHEME);
  });

  it('reports invalid credentials of a program, for which no person can sign in @signIn.reports-invalid', async () => {
    const oauth = { grant: 'client_credentials', clientId: 'machine', clientSecret: 'another-secret-of-somebody' };
    const { host } = open(undefined, [], oauth);
    const { error } = await host.reaches('box', 'failed');
    assert.match(error.message, /refused \(invalid_client\).*Check "oauth" in its settings entry/);
    assert.ok(!error.message.includes('another-secret'));
  });

  it('makes one refresh for eight simultaneously refused requests', async () => {
    const window = await signedIn();
    await fetch(server.url('/__end'), { method: 'DELETE' });
    await Promise.all(Array.from({ length: 8 }, () => echo(window)));
    assert.equal((await seen('grant', 'refresh_token')).length, 1);
    assert.equal((await seen('refused')).length, 0);
  });

  it('makes one refresh in two simultaneous windows @signIn.makes-refresh-two', async () => {
    const first = await signedIn();
    const second = open(first.auth);
    await second.host.loads('box');
    await fetch(server.url('/__end'), { method: 'DELETE' });
    await Promise.all([echo(first), echo(second), echo(first), echo(second)]);
    assert.equal((await seen('grant', 'refresh_token')).length, 1);
    assert.equal((await seen('refused')).length, 0);
  });

  it('renews with the newest refresh token each time: one that was used is refused', async () => {
    const window = await signedIn();
    for (let renewals = 1; renewals <= 3; renewals++) {
      await fetch(server.url('/__end'), { method: 'DELETE' });
      const { content } = await echo(window);
      assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
      assert.equal((await seen('grant', 'refresh_token')).length, renewals);
    }
    assert.equal((await seen('refused')).length, 0);
    assert.equal(window.auth.requests.length, 1, 'the person signed in once');
  });

  it('renews a token before it expires @signIn.renews-token-expires', async () => {
    await put('/__life?seconds=5');
    const window = await signedIn();
    await put('/__life?seconds=3600');
    await echo(window);
    assert.ok((await seen('grant', 'refresh_token')).length >= 1);
    assert.equal((await seen('refused')).length, 0);
  });

  it('asks once to sign in again when the refresh is refused, and continues after that @signIn.asks-once-sign', async () => {
    const window = await signedIn();
    await fetch(server.url('/__end?grants'), { method: 'DELETE' });
    await assert.rejects(echo(window), /your sign-in has ended\. Choose "Sign In" on its row to sign in again/);
    const { error } = await window.host.reaches('box', 'needsAuth');
    assert.equal(error.code, 'UNAUTHORIZED');
    assert.equal((await seen('refused')).length, 1);
    await signedIn(window);
    await echo(window);
  });

  it('requests more permissions when a call needs them, in addition to the present ones @signIn.requests-permissions-call', async () => {
    const window = await signedIn();
    const wait = window.box.catalog.tools.find(({ name }) => name === 'wait')!;
    await raw(window.box).callTool(wait, { ms: 1 });
    assert.deepEqual(window.auth.requests[1]!.scopes.filter(scope => scope !== 'offline_access').sort(), [
      'read',
      'write',
    ]);
  });

  it('fails with a reason when the person refuses more permissions, and does not ask again automatically @signIn.fails-reason-person', async () => {
    const window = await signedIn();
    window.auth.browse = async () => undefined;
    const wait = window.box.catalog.tools.find(({ name }) => name === 'wait')!;
    for (const _ of [1, 2]) {
      await assert.rejects(
        raw(window.box).callTool(wait, { ms: 1 }),
        /more permissions than you granted: write \(HTTP 403\)/,
      );
    }
    assert.equal(window.auth.requests.length, 2);
    assert.equal(window.box.state.kind, 'ready');
  });

  it('can be ended: it revokes, forgets, and waits for the person @signIn.ended-revokes-forgets', async () => {
    const window = await signedIn();
    assert.equal(await window.box.account.signOut(), true);
    await window.host.reaches('box', 'needsAuth');
    assert.equal(window.auth.values.size, 0);
    assert.ok((await seen('revoked')).length >= 1);
    assert.equal(window.box.account.signedIn, undefined);
    const order = (await seenAll()).map(({ what }) => what).filter(what => what !== 'grant');
    assert.deepEqual(order.slice(0, 2), ['ended', 'revoked'], 'its session is ended while the token counts');
  });

  it('ends a session immediately with the current token, even if that is due for renewal @signIn.ends-session-immediately', async () => {
    await put('/__life?seconds=10');
    const window = await signedIn();
    const asked: Socket[] = [];
    const silent = createServer(socket => void asked.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    await put(`/__issuer?url=http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    await window.box.stop('test');
    assert.equal((await seen('ended')).length, 1);
    assert.equal(asked.length, 0);
    silent.close();
  });

  it('neither renews nor asks when ending a session is refused', async () => {
    const window = await signedIn();
    await fetch(server.url('/__end'), { method: 'DELETE' });
    await window.box.stop('test');
    assert.equal((await seen('grant', 'refresh_token')).length, 0);
    assert.equal(window.box.account.signInEnded, false);
  });

  it('keeps what another window wrote while the person signs in', async () => {
    const window = open();
    await window.host.reaches('box', 'needsAuth');
    const { auth, box } = window;
    const written = Promise.withResolvers<void>();
    const { browse } = auth;
    auth.browse = async (request, cancel) => {
      void auth.alone(box.definition, '', async () => {
        await written.promise;
        const other = { byIssuer: { 'https://other.example': { client: { client_id: 'other' } } } };
        await auth.write(box.definition, server.url('/mcp'), JSON.stringify(other));
      });
      return browse(request, cancel);
    };
    const signIn = box.account.signIn(signal());
    await waitFor(async () => (await seen('grant', 'authorization_code')).length === 1, { what: 'the tokens' });
    written.resolve();
    await signIn;
    const [kept = assert.fail()] = auth.values.values();
    const { issuer, byIssuer } = JSON.parse(kept);
    assert.deepEqual(Object.keys(byIssuer).sort(), [issuer, 'https://other.example'].sort());
    assert.ok(byIssuer[issuer].tokens);
  });

  it('needs no person with client credentials @signIn.needs-person-client', async () => {
    const oauth = { grant: 'client_credentials', clientId: 'machine', clientSecret: 'machine-secret-of-the-fixture' };
    const window = open(undefined, [], oauth);
    await window.host.loads('box');
    await fetch(server.url('/__end'), { method: 'DELETE' });
    await Promise.all([echo(window), echo(window), echo(window)]);
    assert.equal((await seen('grant', 'client_credentials')).length, 2);
  });

  describe('fails', () => {
    const failing = async (browse: TestAuth['browse'], message: RegExp) => {
      const window = open();
      window.auth.browse = browse;
      await window.host.reaches('box', 'needsAuth');
      await assert.rejects(window.box.account.signIn(signal()), message);
      assert.equal((await seen('grant')).length, 0);
      assert.equal(window.box.state.kind, 'needsAuth');
    };
    const answer = async ({ url, redirect }: Parameters<TestAuth['browse']>[0], change: Record<string, string>) => {
      const { searchParams } = await throughLoginPage(url, redirect.uri);
      for (const [name, value] of Object.entries(change)) searchParams.set(name, value);
      return searchParams;
    };

    it('when the person denies it on the page', () =>
      failing(
        async ({ url, redirect }) => (await throughLoginPage(url, redirect.uri, { deny: true })).searchParams,
        /could not sign in: the sign-in was denied/,
      ));

    it('when the person declines', () =>
      failing(async () => undefined, /could not sign in: the sign-in was cancelled/));

    it('when the answer belongs to another sign-in @signIn.answer-belongs-sign', () =>
      failing(request => answer(request, { state: 'another' }), /does not belong to this sign-in and was not used/));

    it('when the answer is from another authorization server @signIn.answer-authorization', () =>
      failing(request => answer(request, { iss: 'https://evil.example' }), /is from another authorization server/));

    it('when it is cancelled before an answer', async () => {
      const window = open();
      window.auth.browse = () => new Promise(() => {});
      await window.host.reaches('box', 'needsAuth');
      const abort = new AbortController();
      const signIn = window.box.account.signIn(abort.signal);
      await waitFor(() => window.auth.requests.length === 1, { what: 'the browser to open' });
      abort.abort();
      await assert.rejects(signIn, /the sign-in was cancelled/);
    });

    it('when no answer comes in time, and closes its redirect', async () => {
      const window = open();
      window.auth.limitMinutes = 0.005;
      window.auth.browse = () => new Promise(() => {});
      await window.host.reaches('box', 'needsAuth');
      await assert.rejects(
        window.box.account.signIn(signal()),
        /could not sign in: the browser did not return within 0\.005 minutes\. Choose "Sign In" on its row to try/,
      );
      assert.deepEqual(window.auth.closed, [BACK]);
      assert.equal(window.box.state.kind, 'needsAuth');
    });

    it('when the server names another authorization server than settings do @signIn.server-names', async () => {
      const window = open(undefined, [BACK], { issuer: 'https://login.example' });
      await window.host.reaches('box', 'needsAuth');
      await assert.rejects(window.box.account.signIn(signal()), /, not https:\/\/login\.example/);
    });

    it('when the authorization server is not the one that it claims @signIn.authorization-server', async () => {
      await put(`/__issuer?url=${encodeURIComponent(server.url(''))}/elsewhere`);
      const window = open();
      await window.host.reaches('box', 'needsAuth');
      await assert.rejects(window.box.account.signIn(signal()), /could not sign in/);
      assert.equal((await seen('grant')).length, 0);
    });

    it('when it would lead to plain http on another machine @signIn.lead-plain-http', async () => {
      await put(`/__issuer?url=${encodeURIComponent('http://login.example')}`);
      const window = open();
      await window.host.reaches('box', 'needsAuth');
      await assert.rejects(window.box.account.signIn(signal()), /login\.example, which is neither https nor on this/);
    });
  });
});
