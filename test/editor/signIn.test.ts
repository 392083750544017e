import * as assert from 'node:assert/strict';
import * as path from 'node:path';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import type { Auth } from '../../src/features/auth/auth';
import { WindowLock } from '../../src/features/auth/core/windowLock';
import { type Browser, describe as describeRequest } from '../../src/features/auth/signInDialogs';
import type { ServerConnection } from '../../src/host';
import type { AuthorizationRequest } from '../../src/host/definition';
import { freePort } from '../servers/freePort';
import { throughLoginPage } from '../servers/loginPage';
import type { SeenGrant } from '../servers/protected';
import { type HttpServerFixture, startHttpServer, waitFor } from '../servers/spawn';
import type { TestHost } from '../unit/host/testHost';
import { api, configure, eventually, loads, logged, raw, reaches, setting } from './window';

const PORT_PATH = '/back';

/** Another window of the same person: a host and a lock of its own, the same secrets and the same folder of locks. */
async function otherWindow(auth: Auth): Promise<TestHost> {
  // Late, and as a file of its own, as it loads the SDK: see activation.test.ts.
  const { TestHost } = require(
    path.join(__dirname, '../unit/host/testHost.js'),
  ) as typeof import('../unit/host/testHost');
  const lock = new WindowLock(path.join((await api()).context.globalStorageUri.fsPath, 'locks'));
  return new TestHost({
    auth: {
      read: (...of) => auth.read(...of),
      write: (...what) => auth.write(...what),
      alone: (server, resource, run) => lock.run(auth.keyOf(server, resource), run),
      openRedirect: async () => undefined,
      askClient: async () => assert.fail('the other window asks nobody'),
      authorize: async () => assert.fail('the other window asks nobody'),
    },
  });
}

describe('signing in', () => {
  let server: HttpServerFixture;
  let asked: AuthorizationRequest[];
  let opened: URL[];
  /** The person and their browser. */
  let browser: Browser;
  /** What happens to the answer on its way back. */
  let onTheWay: (answer: URLSearchParams) => void;
  beforeEach(async () => {
    server = await startHttpServer('protected');
    [asked, opened] = [[], []];
    onTheWay = () => {};
    const auth = (await api()).auth();
    browser = {
      consent: async request => asked.push(request) > 0,
      open: async url => {
        opened.push(url);
        const back = url.searchParams.get('redirect_uri')!;
        const answer = await throughLoginPage(url, back);
        onTheWay(answer.searchParams);
        if (/^http:\/\/127\.0\.0\.1:\d+(\/|\/back)$/.test(back)) return void (await fetch(answer));
        // What the operating system does with vscode://, or the page /callback of an editor in the browser.
        auth
          .redirects()
          .handleUri(vscode.Uri.from({ scheme: 'vscode', path: '/oauth', query: answer.search.slice(1) }));
      },
    };
    auth.browser = browser;
  });
  afterEach(async () => {
    delete (await api()).auth().browser;
    await configure(undefined);
    await server.stop();
  });

  const row = async (id: string) => {
    const { tree } = await api();
    return tree.getTreeItem(tree.getChildren().find(node => node.server.id === id)!);
  };

  it('waits on the row, signs in through a loopback port, confirms, and signs out @signIn.waits-row-signs', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}${PORT_PATH}`;
    await configure({ box: { url: server.url('/mcp'), oauth: { redirectUri } } });
    await reaches('box', 'needsAuth');
    assert.deepEqual(asked, [], 'nothing is asked or opened by itself');
    assert.equal((await row('box')).contextValue, 'server.needsAuth');

    await vscode.commands.executeCommand('mcpHost.signIn', { server: (await api()).servers.get('box') });
    const box = await loads('box');
    assert.equal(opened.length, 1);
    assert.equal(opened[0]!.searchParams.get('redirect_uri'), redirectUri);
    assert.equal((await row('box')).contextValue, 'server.ready.signedIn');
    await eventually(() => assert.rejects(fetch(redirectUri), 'its port is closed again'));

    await box.restart('test');
    await loads('box');
    assert.equal(asked.length, 1, 'it is kept');

    await vscode.commands.executeCommand('mcpHost.signOut', { server: box });
    await reaches('box', 'needsAuth');
    assert.equal((await row('box')).contextValue, 'server.needsAuth');
    const log = await logged('box', /stopping: you signed out[\s\S]*requires you to sign in/);
    assert.doesNotMatch(log, /Bearer|code=/);
  });

  it('returns to a loopback port, or through the editor where the browser is on another machine @signIn.returns-loopback-port', async () => {
    await configure({ box: { url: server.url('/mcp') } });
    await reaches('box', 'needsAuth');
    await vscode.commands.executeCommand('mcpHost.signIn', { server: (await api()).servers.get('box') });
    await loads('box');
    assert.equal(opened.length, 1);
    const back = opened[0]!.searchParams.get('redirect_uri') ?? '';
    const isElsewhere = vscode.env.uiKind === vscode.UIKind.Web || vscode.env.remoteName !== undefined;
    assert.equal(/^http:\/\/127\.0\.0\.1:\d+\/$/.test(back), !isElsewhere, back);
  });

  it('asks for a client ID where no registration is possible, and keeps it out of sight', async () => {
    await server.stop();
    server = await startHttpServer('scriptedLogin');
    const script = { metadata: { registration_endpoint: null, authorization_response_iss_parameter_supported: null } };
    await fetch(server.url('/__script'), { method: 'PUT', body: JSON.stringify(script) });
    browser.open = async url => {
      const answer = await fetch(url, { redirect: 'manual' });
      const back = new URL(answer.headers.get('location') ?? '');
      const { redirects } = (await api()).auth();
      if (/^http:\/\/127\.0\.0\.1:\d+\/$/.test(back.origin + back.pathname)) await fetch(back);
      else redirects().handleUri(vscode.Uri.from({ scheme: 'vscode', path: '/oauth', query: back.search.slice(1) }));
    };
    const prompts: vscode.InputBoxOptions[] = [];
    const typed = [' my-client ', 'kD93mXq71LsPz04vT8aYw2Rb'];
    const { showInputBox } = vscode.window;
    vscode.window.showInputBox = async (options: vscode.InputBoxOptions = {}) => {
      prompts.push(options);
      return typed[prompts.length - 1];
    };
    try {
      await configure({ box: { url: server.url('/mcp') } });
      await reaches('box', 'needsAuth');
      await vscode.commands.executeCommand('mcpHost.signIn', { server: (await api()).servers.get('box') });
      await loads('box');
    } finally {
      vscode.window.showInputBox = showInputBox;
    }
    assert.match(
      String(prompts[0]!.prompt),
      /^127\.0\.0\.1:\d+ does not register editors automatically\..* redirect URI \S+,/,
    );
    assert.deepEqual(
      prompts.map(({ title, password = false }) => [title, password]),
      [
        ['Sign in to MCP server "box"', false],
        ['Sign in to MCP server "box"', true],
      ],
    );
    const asked = (await (await fetch(server.url('/__seen'))).json()) as Record<string, string>[];
    const { client_id, client_secret } = asked.find(({ path }) => path === '/token') ?? {};
    assert.deepEqual([client_id, client_secret], ['my-client', typed[1]]);
  });

  it('changes nothing when the person declines', async () => {
    browser.consent = async () => false;
    await configure({ box: { url: server.url('/mcp') } });
    const box = await reaches('box', 'needsAuth');
    await vscode.commands.executeCommand('mcpHost.signIn', { server: box });
    assert.equal(box.state.kind, 'needsAuth');
    assert.deepEqual(opened, []);
  });

  it('names the server, who signs in, and the permissions, before a browser opens @signIn.names-server-signs', async () => {
    await configure({ box: { url: server.url('/mcp') } });
    const box = await reaches('box', 'needsAuth');
    await vscode.commands.executeCommand('mcpHost.signIn', { server: box });
    await waitFor(() => asked.length === 1, { what: 'the consent' });
    const { host } = new URL(asked[0]!.issuer);
    assert.deepEqual(describeRequest(asked[0]!).split('\n').slice(0, 3), [
      `Server: ${server.url('/mcp')}`,
      `Authorization server: ${host}`,
      'Permissions: read, offline_access',
    ]);
    const { server: definition } = asked[0]!;
    const oauth = { issuer: 'https://slack.example', pkce: 'assumed' as const };
    const entry = { ...definition.entry!, oauth } as typeof definition.entry;
    assert.match(
      describeRequest({ ...asked[0]!, server: { ...definition, entry } }),
      /⚠ issuer = https:\/\/slack\.example: An authorization server .*\n⚠ pkce = assumed: If the authorization/,
    );
    const lookalike = { ...asked[0]!, issuer: 'https://gооgle.com', scopes: ['a\u202eb'] };
    const shown = describeRequest(lookalike);
    assert.match(shown, /Authorization server: xn--/);
    assert.match(shown, new RegExp(`Opens in your browser: ${host}`));
    assert.doesNotMatch(shown, /\u202e/);
  });

  it('signs in to all servers that need it, one after the other, and says which are done', async () => {
    const entry = { url: server.url('/mcp') };
    await configure({ one: entry, two: entry, three: entry });
    for (const name of ['one', 'two', 'three']) await reaches(name, 'needsAuth');
    browser.consent = async request => {
      asked.push(request);
      return request.server.name !== 'two';
    };
    const said: string[] = [];
    const { showInformationMessage } = vscode.window;
    Object.assign(vscode.window, { showInformationMessage: async (text: string) => void said.push(text) });
    try {
      await vscode.commands.executeCommand('mcpHost.signIn');
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
    assert.deepEqual(
      asked.map(request => request.server.name),
      ['one', 'two', 'three'],
    );
    assert.deepEqual(said, ['You are signed in to: one, three. Not signed in to: two']);
    await loads('one');
    await loads('three');
    await reaches('two', 'needsAuth');
  });

  it('is known to authorization servers by the document that a setting names', async () => {
    const auth = (await api()).auth();
    assert.equal(auth.clientMetadataUrl, undefined, 'that of this build is not published');
    try {
      await setting('signIn.clientMetadataUrl', 'https://corp.example/oauth-client.json');
      assert.equal(auth.clientMetadataUrl, 'https://corp.example/oauth-client.json');
      await setting('signIn.clientMetadataUrl', 'http://corp.example/oauth-client.json');
      assert.equal(auth.clientMetadataUrl, undefined);
    } finally {
      await setting('signIn.clientMetadataUrl', undefined);
    }
  });

  it('gives servers of an organization the identity provider that a setting names', async () => {
    const url = 'https://wiki.example/mcp';
    const own = { issuer: 'https://own.example', clientId: 'own' };
    const provider = { issuer: 'https://login.corp.example', clientId: 'editor' };
    try {
      await setting('signIn.identityProvider', provider);
      await configure({
        wiki: { url, enabled: false, oauth: { grant: 'jwt_bearer', clientId: 'here' } },
        other: { url, enabled: false, oauth: { grant: 'jwt_bearer', clientId: 'here', identityProvider: own } },
        plain: { url, enabled: false, oauth: { clientId: 'here' } },
      });
      const providerOf = async (name: string) => {
        const { entry } = (await api()).servers.get(name)!.definition;
        return entry && entry.type !== 'stdio' ? entry.oauth?.identityProvider : undefined;
      };
      await eventually(async () => assert.deepEqual(await providerOf('wiki'), provider));
      assert.deepEqual(await providerOf('other'), own);
      assert.equal(await providerOf('plain'), undefined);
    } finally {
      await setting('signIn.identityProvider', undefined);
    }
  });

  const seen = async (what: SeenGrant['what'], grant?: string) => {
    const all = (await (await fetch(server.url('/__tokens'))).json()) as SeenGrant[];
    return all.filter(one => one.what === what && (grant === undefined || one.grant === grant)).length;
  };
  const life = (seconds: number) => fetch(server.url(`/__life?seconds=${seconds}`), { method: 'PUT' });
  const end = (what = '') => fetch(server.url(`/__end${what}`), { method: 'DELETE' });
  const call = (box: ServerConnection, name: string, args: Record<string, unknown>, open = raw) =>
    open(box).callTool(box.catalog.tools.find(tool => tool.name === name)!, args);
  const kept = async (box: ServerConnection) => (await api()).auth().read(box.definition, server.url('/mcp'));
  const signedIn = async () => {
    await configure({ box: { url: server.url('/mcp') } });
    const waiting = await reaches('box', 'needsAuth');
    await vscode.commands.executeCommand('mcpHost.signIn', { server: waiting });
    return loads('box');
  };

  it('renews an expired or expiring token without a browser @signIn.renews-expired-expiring', async () => {
    await life(5);
    const box = await signedIn();
    await life(3_600);
    await call(box, 'echo', { text: 'before it ends' });
    const renewed = await seen('grant', 'refresh_token');
    assert.ok(renewed >= 1, 'before it ends');
    await end();
    await call(box, 'echo', { text: 'after it was ended' });
    assert.equal(await seen('grant', 'refresh_token'), renewed + 1, 'once it is refused');
    assert.equal(await seen('refused'), 0);
    assert.deepEqual([asked.length, opened.length], [1, 1]);
  });

  it('waits with the reason while the keyring is locked, and is kept for when it is open @signIn.waits-keyring-locked', async () => {
    await configure({ box: { url: server.url('/mcp') } });
    await reaches('box', 'needsAuth');
    await vscode.commands.executeCommand('mcpHost.signIn', { server: (await api()).servers.get('box') });
    const box = await loads('box');
    const { secrets } = (await api()).context;
    const get = secrets.get.bind(secrets);
    const locked = mock.method(secrets, 'get', (key: string) =>
      key.startsWith('mcpHost.auth') ? Promise.reject(new Error('The keyring is locked')) : get(key),
    );
    await box.restart('the test wants it');
    const { state } = box;
    locked.mock.restore();
    assert.equal(state.kind, 'failed');
    assert.match('error' in state ? state.error.message : '', /The keyring is locked/);
    await box.restart('the test wants it');
    await loads('box');
    assert.equal(asked.length, 1, 'nobody is asked to sign in again');
  });

  it('waits for the person when renewal fails, after one attempt', async () => {
    const box = await signedIn();
    await end('?grants');
    await assert.rejects(
      call(box, 'echo', { text: 'hello' }),
      /"box".*your sign-in has ended\. Choose "Sign In" on its row/s,
    );
    await reaches('box', 'needsAuth');
    assert.equal((await row('box')).contextValue, 'server.needsAuth', 'the row has "Sign In" again');
    assert.equal((await row('box')).description, 'needs you to sign in again');
    await box.restart('test');
    await reaches('box', 'needsAuth');
    assert.equal(await seen('refused'), 1);
    assert.deepEqual([asked.length, opened.length], [1, 1], 'nothing is asked or opened by itself');

    await vscode.commands.executeCommand('mcpHost.signIn', { server: box });
    await call(await loads('box'), 'echo', { text: 'hello' });
    assert.equal(opened.length, 2);
  });

  it('asks for the additional permission that a call needs, and the call succeeds', async () => {
    const box = await signedIn();
    assert.doesNotMatch(describeRequest(asked[0]!), /write/);
    await call(box, 'wait', { ms: 1 });
    assert.match(describeRequest(asked[1]!), /^Permissions: (?=.*read).*write/m);
    const scopes = Array.from({ length: 10_000 }, (_, n) => `scope-${n}`);
    assert.match(describeRequest({ ...asked[1]!, scopes }), /^Permissions: scope-0, .*scope-29 and 9970 more$/m);
    assert.equal(opened.length, 2);
    assert.ok(box.account.signedIn?.scopes.includes('write'));
  });

  it('ignores and discards an answer from another authorization server', async () => {
    onTheWay = answer => answer.set('iss', 'https://evil.example');
    await configure({ box: { url: server.url('/mcp') } });
    const box = await reaches('box', 'needsAuth');
    const signIn = box.account.signIn(new AbortController().signal);
    await assert.rejects(
      signIn,
      /"box" could not sign in: a response for \S+ says that it is from another authorization/,
    );
    assert.equal(opened.length, 1);
    assert.equal(await seen('grant'), 0);
    assert.equal(await kept(box), undefined);
    assert.equal((await row('box')).contextValue, 'server.needsAuth');
  });

  it('revokes its tokens when the person signs out', async () => {
    const box = await signedIn();
    const token = /"access_token":"([^"]+)"/.exec((await kept(box)) ?? '')?.[1];
    const headers = { authorization: `Bearer ${token}` };
    const status = async () => (await fetch(server.url('/mcp'), { method: 'POST', headers, body: '{}' })).status;
    assert.notEqual(await status(), 401);
    await vscode.commands.executeCommand('mcpHost.signOut', { server: box });
    await reaches('box', 'needsAuth');
    assert.ok((await seen('revoked')) >= 1);
    assert.equal(await status(), 401, 'whoever has taken it has nothing');
    assert.equal(await kept(box), undefined);
  });

  it('is renewed by one of two windows that need it at once @signIn.renewed-two-windows', async () => {
    const box = await signedIn();
    const other = await otherWindow((await api()).auth());
    try {
      other.configure({ box: { url: server.url('/mcp') } });
      const same = await other.loads('box');
      await end();
      const calls = [1, 2].flatMap(() => [
        call(box, 'echo', { text: 'hello' }),
        call(same, 'echo', { text: 'hello' }, other.host.requests),
      ]);
      await Promise.all(calls);
    } finally {
      await other.close();
    }
    assert.equal(await seen('grant', 'refresh_token'), 1);
    assert.equal(await seen('refused'), 0);
    assert.equal(opened.length, 1);
  });
});
