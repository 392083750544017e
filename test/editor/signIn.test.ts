import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { browser, describe as describeRequest } from '../../src/editor/auth/browser';
import type { AuthorizationRequest } from '../../src/host';
import { freePort } from '../servers/freePort';
import { throughLoginPage } from '../servers/loginPage';
import { type HttpServerFixture, startHttpServer, waitFor } from '../servers/spawn';
import { api, configure, loads, logged, reaches } from './window';

const PORT_PATH = '/back';

describe('signing in', function () {
  this.timeout(60_000);
  let server: HttpServerFixture;
  let asked: AuthorizationRequest[];
  let opened: URL[];
  beforeEach(async () => {
    server = await startHttpServer('protected');
    [asked, opened] = [[], []];
    const auth = (await api()).auth();
    auth.browser = {
      consent: async request => asked.push(request) > 0,
      open: async url => {
        opened.push(url);
        const back = url.searchParams.get('redirect_uri')!;
        const answer = await throughLoginPage(url, back);
        if (new URL(back).pathname === PORT_PATH) return void (await fetch(answer));
        // What the operating system does with vscode://, or the page /callback of an editor in the browser.
        auth.redirects.handleUri(vscode.Uri.from({ scheme: 'vscode', path: '/oauth', query: answer.search.slice(1) }));
      },
    };
  });
  afterEach(async () => {
    (await api()).auth().browser = browser;
    await configure(undefined);
    await server.stop();
  });

  const row = async (id: string) => {
    const { tree } = await api();
    return tree.getTreeItem(tree.getChildren().find(node => node.server.id === id)!);
  };

  it('waits on the row, signs in through a port of this machine, says so, and signs out', async () => {
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
    await assert.rejects(fetch(redirectUri), 'its port is closed again');

    await box.restart('test');
    await loads('box');
    assert.equal(asked.length, 1, 'it is kept');

    await vscode.commands.executeCommand('mcpHost.signOut', { server: box });
    await reaches('box', 'needsAuth');
    assert.equal((await row('box')).contextValue, 'server.needsAuth');
    const log = await logged('box', /asks for a sign-in/);
    assert.doesNotMatch(log, /Bearer|code=/);
  });

  it('comes back through the editor by itself', async () => {
    await configure({ box: { url: server.url('/mcp') } });
    await reaches('box', 'needsAuth');
    await vscode.commands.executeCommand('mcpHost.signIn', { server: (await api()).servers.get('box') });
    await loads('box');
    assert.equal(opened.length, 1);
  });

  it('stays as it is when the person does not want to', async () => {
    (await api()).auth().browser.consent = async () => false;
    await configure({ box: { url: server.url('/mcp') } });
    const box = await reaches('box', 'needsAuth');
    await vscode.commands.executeCommand('mcpHost.signIn', { server: box });
    assert.equal(box.state.kind, 'needsAuth');
    assert.deepEqual(opened, []);
  });

  it('names the server, who signs in, and the permissions, before a browser opens', async () => {
    await configure({ box: { url: server.url('/mcp') } });
    const box = await reaches('box', 'needsAuth');
    await vscode.commands.executeCommand('mcpHost.signIn', { server: box });
    await waitFor(() => asked.length === 1, { what: 'the consent' });
    const { host } = new URL(asked[0]!.issuer);
    assert.deepEqual(describeRequest(asked[0]!).split('\n').slice(0, 3), [
      `Server: ${server.url('/mcp')}`,
      `Signs you in: ${host}`,
      'Permissions: read, offline_access',
    ]);
    const lookalike = { ...asked[0]!, issuer: 'https://gооgle.com', scopes: ['a\u202eb'] };
    const shown = describeRequest(lookalike);
    assert.match(shown, /Signs you in: xn--/);
    assert.match(shown, new RegExp(`Your browser opens: ${host}`));
    assert.doesNotMatch(shown, /\u202e/);
  });
});
