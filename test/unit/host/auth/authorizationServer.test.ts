import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { raw } from '../../../setup/raw';
import { TestAuth } from '../testAuth';
import { ScriptedLogin } from './scriptedLogin';

const BACK = 'http://localhost:3000/callback';
const EVIL = 'https://evil.example';

describe('an authorization server', function () {
  this.timeout(60_000);
  let login: ScriptedLogin;
  before(async () => {
    login = await ScriptedLogin.start();
  });
  afterEach(() => login.renew());
  after(() => login.close());

  describe('must support PKCE, or no browser opens, if', () => {
    const refused = async () => {
      const auth = await login.refuses(
        /^MCP server "box" could not sign in: http:\S+ does not announce that it protects sign-ins with PKCE \(S256\).* No browser was opened\. Ask the operator of that authorization server/,
      );
      assert.deepEqual(auth.requests, []);
      assert.deepEqual(await login.asked('/register'), [], 'and nothing is registered');
    };

    it('its metadata lacks PKCE @authorizationServer.metadata-lacks-pkce', async () => {
      await login.play({ metadata: { code_challenge_methods_supported: null } });
      await refused();
    });

    for (const methods of [['plain'], []])
      it(`its metadata lists ${JSON.stringify(methods)} @authorizationServer.metadata-lists`, async () => {
        await login.play({ metadata: { code_challenge_methods_supported: methods } });
        await refused();
      });

    it('it has no metadata although the server has, in a revision that requires both @authorizationServer.metadata-server-revision', async () => {
      await login.play({ hasNoMetadata: true });
      await refused();
    });

    it('its list of methods is invalid @authorizationServer.list-methods-invalid', async () => {
      await login.play({ metadata: { code_challenge_methods_supported: 'S256' } });
      const auth = await login.refuses(/could not sign in: the response from \S+ can't be used/);
      assert.deepEqual(auth.requests, []);
    });

    it('except for a server of 2025-03-26, which needs no metadata: PKCE is always sent', async () => {
      await login.play({ isOld: true, hasNoMetadata: true });
      const { auth, host, signIn } = await login.open();
      await host.reaches('box', 'needsAuth');
      await signIn();
      assert.equal(auth.requests[0]!.url.searchParams.get('code_challenge_method'), 'S256');
      assert.equal((await login.asked('/token')).length, 1);
    });
  });

  it('may write null for what it has no value for: in metadata, registrations and tokens', async () => {
    await login.play({ writesNull: true });
    const { auth, host, box, signIn } = await login.open();
    await host.reaches('box', 'needsAuth');
    await signIn();
    assert.equal(box.state.kind, 'ready');
    const kept = [...auth.values.values()].join();
    assert.match(kept, /"access_token"/);
    assert.doesNotMatch(kept, /null/);
  });

  it('is found in a challenge beside others, and so are the permissions that a call lacks', async () => {
    await login.play({ hasOtherSchemes: true });
    const { auth, host, box, signIn } = await login.open();
    await host.reaches('box', 'needsAuth');
    await signIn();
    const tool = box.catalog.tools.find(({ name }) => name === 'wait') ?? assert.fail('there is no such tool');
    // It never gives more than "read".
    await assert.rejects(
      raw(box).callTool(tool, { ms: 0 }),
      /requires more permissions than you granted: write \(HTTP 403\): Only editors may wait/,
    );
    const scopes = auth.requests.map(({ url }) => url.searchParams.get('scope'));
    assert.deepEqual(scopes.slice(0, 2), ['read', 'read write']);
  });

  describe('must name itself in its answer (RFC 9207), else the answer is neither used nor shown', () => {
    const error: [string, string][] = [
      ['error', 'access_denied'],
      ['error_description', 'Call +1 555 0100 and read out your code'],
    ];
    const code: [string, string] = ['code', 'stolen'];
    const OTHER =
      /a response for http:\S+ says that it is from another authorization server and was not used\. Someone/;
    const UNNAMED = /an answer for http:\S+ does not say which authorization server it is from, and was not used\./;
    const nothingShown = async (message: RegExp) => {
      await login.refuses(/^(?!.*(555 0100|denied))/);
      await login.refuses(message);
    };

    it('an error of another server @authorizationServer.error-server', async () => {
      await login.play({ answer: [...error, ['iss', EVIL]] });
      await nothingShown(OTHER);
    });

    it('an error without a name, from a server that announces one @authorizationServer.error-name-server', async () => {
      await login.play({ answer: error });
      await nothingShown(UNNAMED);
    });

    it('a code without a name, from a server that announces one', async () => {
      await login.play({ answer: [code] });
      await nothingShown(UNNAMED);
    });

    it('an answer with two names, even if the first is right @authorizationServer.answer-two-names', async () => {
      await login.play({ answer: [...error, ['iss', login.places.server], ['iss', EVIL]] });
      await nothingShown(OTHER);
      await login.play({ answer: [code, ['iss', login.places.server], ['iss', login.places.server]] });
      await nothingShown(OTHER);
    });

    for (const change of [(iss: string) => `${iss}/`, (iss: string) => iss.toUpperCase(), () => ''])
      it(`a name that differs in any letter: ${change('http://as')} @authorizationServer.name-differs-letter`, async () => {
        await login.play({ answer: [...error, ['iss', change(login.places.server)]] });
        await nothingShown(OTHER);
      });

    it('another name, from a server that announces none', async () => {
      const metadata = { authorization_response_iss_parameter_supported: null };
      await login.play({ metadata, answer: [...error, ['iss', EVIL]] });
      await nothingShown(OTHER);
    });

    it('except when it neither announces nor gives one', async () => {
      const metadata = { authorization_response_iss_parameter_supported: null };
      await login.play({ metadata, answer: error });
      await login.refuses(/could not sign in: the sign-in was denied: Call \+1 555 0100/);
    });

    it('a name given as an array in metadata counts as missing', async () => {
      await login.play({ metadata: { issuer: [login.places.server, EVIL] } });
      const auth = await login.refuses(/could not sign in: the response from \S+ can't be used/);
      assert.deepEqual(auth.requests, []);
    });

    it('and must give each parameter once (RFC 6749, 3.1) @authorizationServer.give-parameter-once', async () => {
      await login.play({ answer: [code, ['code', 'another'], ['iss', login.places.server]] });
      await login.refuses(/does not belong to this sign-in and was not used/);
    });
  });

  describe('gets the resource of the token in every request (RFC 8707)', () => {
    it('from the metadata, at sign-in and at each renewal @authorizationServer.metadata-sign-renewal', async () => {
      const { host, box, signIn } = await login.open();
      await host.reaches('box', 'needsAuth');
      await signIn();
      await login.endTokens();
      await raw(box).callTool(box.catalog.tools.find(({ name }) => name === 'echo')!, { text: 'hello' });
      const asked = [...(await login.asked('/authorize')), ...(await login.asked('/token'))];
      assert.deepEqual(
        asked.map(({ path, grant_type, resource }) => [path, grant_type, resource]),
        [
          ['/authorize', undefined, login.places.resource],
          ['/token', 'authorization_code', login.places.resource],
          ['/token', 'refresh_token', login.places.resource],
        ],
      );
    });

    it('from the address without possible keys, where there is no metadata @authorizationServer.address-possible-keys', async () => {
      await login.play({ isOld: true });
      const { host, signIn } = await login.open();
      host.configure({ box: { url: `${login.places.resource}?key=secret-of-the-url` } });
      await host.reaches('box', 'needsAuth');
      await signIn();
      const asked = [...(await login.asked('/authorize')), ...(await login.asked('/token'))];
      assert.deepEqual(
        asked.map(({ resource }) => resource),
        [login.places.resource, login.places.resource],
      );
    });

    it('also from programs @authorizationServer.programs', async () => {
      const { host } = await login.open({ grant: 'client_credentials', clientId: 'me', clientSecret: 'my-own-secret' });
      await host.loads('box');
      await login.play({ isOld: true });
      const old = await login.open({ grant: 'client_credentials', clientId: 'me', clientSecret: 'my-own-secret' });
      await old.host.loads('box');
      const asked = await login.asked('/token');
      assert.deepEqual(
        asked.map(({ grant_type, resource }) => [grant_type, resource]),
        [
          ['client_credentials', login.places.resource],
          ['client_credentials', login.places.resource],
        ],
      );
    });
  });

  describe('identifies this host', () => {
    const RAW = { registration_endpoint: null };
    const CIMD = { ...RAW, client_id_metadata_document_supported: true };
    /** Where a client's document would be published. */
    const publish = async (redirects = false) => {
      const site = createServer((request, response) => {
        const { port } = site.address() as AddressInfo;
        const client_id = `http://127.0.0.1:${port}/oauth-client.json`;
        if (redirects && request.url === '/oauth-client.json')
          response.writeHead(301, { location: '/moved.json' }).end();
        else response.end(JSON.stringify({ client_id, redirect_uris: ['http://localhost/callback'] }));
      }).listen(0, '127.0.0.1');
      await once(site, 'listening');
      return { url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/oauth-client.json`, site };
    };
    const known = async (uris = [BACK], url?: string) => {
      const auth = Object.assign(new TestAuth(uris), url && { clientMetadataUrl: url });
      const window = await login.open(undefined, { auth });
      await window.host.reaches('box', 'needsAuth');
      return window;
    };

    it('by its published document @authorizationServer.published-document', async () => {
      const { url, site } = await publish();
      await login.play({ metadata: CIMD });
      const { signIn } = await known([BACK], url);
      await signIn();
      assert.deepEqual(
        (await login.asked('/token')).map(({ client_id }) => client_id),
        [url],
      );
      site.close();
    });

    it('by the document only for loopback redirects, as the document says @authorizationServer.document-loopback', async () => {
      const { url, site } = await publish();
      await login.play({ metadata: CIMD });
      const { auth, signIn } = await known(['vscode://mcp-host.mcp-host/oauth', BACK], url);
      await signIn();
      assert.equal(auth.requests[0]!.redirect.uri, BACK);
      assert.deepEqual(auth.closed, ['vscode://mcp-host.mcp-host/oauth', BACK]);
      site.close();
    });

    it('not by a document that has moved: no redirect arrives, and the person ends it @authorizationServer.document-moved-redirect', async () => {
      const { url, site } = await publish(true);
      await login.play({ metadata: CIMD });
      const window = await known([BACK], url);
      window.auth.browse = async ({ url }) => {
        const page = await fetch(url, { redirect: 'manual' });
        assert.equal(await page.text(), 'invalid_client: HTTP 301');
        return undefined;
      };
      await login.refuses(/the sign-in was cancelled/, window);
      site.close();
    });

    it('not by a document that it refuses, and the error names the remedy', async () => {
      const answer: [string, string][] = [
        ['error', 'invalid_client'],
        ['iss', login.places.server],
      ];
      await login.play({ metadata: CIMD, answer });
      const { url, site } = await publish();
      await login.refuses(
        /refused the sign-in \(invalid_client\)\. Register this editor at that authorization server, and give its "clientId"/,
        await known([BACK], url),
      );
      site.close();
    });

    it('by the client ID that a person enters, if it supports neither client documents nor registration; and keeps it @authorizationServer.client-id-person', async () => {
      await login.play({ metadata: RAW });
      const { auth, box, signIn } = await known();
      auth.client = { clientId: 'mine', clientSecret: 'my-own-client-secret' };
      await signIn();
      assert.deepEqual(auth.asked, [{ issuer: login.places.server, redirectUri: BACK }]);
      const [token] = await login.asked('/token');
      assert.deepEqual([token!.client_id, token!.client_secret], ['mine', 'my-own-client-secret']);
      assert.equal(box.redact('my-own-client-secret'), '•••');
      await box.account.signIn(AbortSignal.timeout(120_000));
      assert.equal(auth.asked.length, 1, 'it is kept');
      assert.deepEqual(auth.before, [undefined, undefined, undefined, BACK]);
      await box.account.signOut();
      assert.equal(auth.values.size, 0, 'until the person signs out');
    });

    it('in the order of 2026-07-28: by the entry, else by the document, else by registration, else by the person', async () => {
      const { url, site } = await publish();
      const all = { client_id_metadata_document_supported: true };
      const rows: [metadata: object, oauth: object | undefined, document: string | undefined, id: string][] = [
        [all, { clientId: 'registered-before' }, url, 'registered-before'],
        [all, undefined, url, url],
        [all, undefined, undefined, 'registered'],
        [{}, undefined, url, 'registered'],
        [RAW, undefined, url, 'typed-in'],
      ];
      for (const [metadata, oauth, document, id] of rows) {
        await login.renew();
        await login.play({ metadata: metadata as Record<string, unknown> });
        const auth = Object.assign(
          new TestAuth([BACK]),
          { client: { clientId: 'typed-in' } },
          document && { clientMetadataUrl: document },
        );
        const { host, signIn } = await login.open(oauth, { auth });
        await host.reaches('box', 'needsAuth');
        await signIn();
        const [token] = await login.asked('/token');
        assert.equal(token!.client_id, id);
        assert.equal((await login.asked('/register')).length, id === 'registered' ? 1 : 0, id);
        assert.equal(auth.asked.length, id === 'typed-in' ? 1 : 0, id);
      }
      site.close();
    });

    it("by the person's client ID when it refuses registration @authorizationServer.person-client-id", async () => {
      await login.play({ metadata: { registration_endpoint: `${login.places.server}/nowhere` } });
      const { auth, signIn } = await known();
      auth.client = { clientId: 'mine' };
      await signIn();
      assert.deepEqual(
        (await login.asked('/token')).map(({ client_id }) => client_id),
        ['mine'],
      );
    });

    it('not at all if the person enters none, and nothing is left open', async () => {
      await login.play({ metadata: RAW });
      const auth = await login.refuses(/could not sign in: the sign-in was cancelled/);
      assert.deepEqual(auth.requests, []);
      assert.deepEqual(auth.closed, [BACK, BACK]);
    });

    it('by the earlier registration if its redirect can be opened again', async () => {
      const { auth, box, signIn } = await known();
      await signIn();
      await box.account.signIn(AbortSignal.timeout(120_000));
      assert.deepEqual(auth.before, [undefined, BACK]);
      assert.equal((await login.asked('/register')).length, 1);
      const { document = '' } = (await login.asked('/register'))[0]!;
      assert.equal(JSON.parse(document).application_type, 'native');
    });

    it('by a new registration when it may have forgotten this host, without asking a person twice', async () => {
      const { auth, box, signIn } = await known();
      await signIn();
      const forgotten = [...auth.values].map(([key, text]) => [key, text.replace(/,"tokens":.*/, '}}}')] as const);
      const { browse } = auth;
      for (const isEntered of [false, true]) {
        for (const [key, text] of forgotten)
          auth.values.set(key, isEntered ? text.replace('"client"', '"isEntered":true,"client"') : text);
        auth.browse = async () => undefined;
        await assert.rejects(box.account.signIn(AbortSignal.timeout(120_000)), /the sign-in was cancelled/);
        assert.equal(auth.values.size, isEntered ? 1 : 0);
      }
      auth.browse = browse;
      await login.play({ refuses: { authorization_code: 'invalid_client' } });
      await assert.rejects(box.account.signIn(AbortSignal.timeout(120_000)), /refused \(invalid_client\)/);
      assert.equal(auth.values.size, 0, 'it was refused');
    });

    it('not without an available redirect, which the person can fix', async () => {
      const window = await known([]);
      await login.refuses(/the browser has no way back to this editor\. Set "redirectUri"/, window);
    });

    it('not with a redirect that cannot be opened, which the person can fix', async () => {
      const window = await known();
      window.auth.openRedirect = () => Promise.reject(new Error('listen EADDRINUSE: address already in use'));
      await login.refuses(/no way back to this editor \(listen EADDRINUSE.*\)\. Set "redirectUri"/, window);
    });
  });
});
