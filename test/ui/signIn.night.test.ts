import * as assert from 'node:assert/strict';
import { attemptMs, eventually, persist } from '../drivers/dom';
import { resultOf, runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { type HttpServerFixture, startHttpServer } from '../servers/spawn';
import { artifacts } from '../setup/paths';

/** In the browser the editor leads the ports of 127.0.0.1 through its own server, and these pages would not be found. */
const LOGIN_HOST = '::1';

describe('sign-in to a server', () => {
  let server: HttpServerFixture;
  let w: Workbench;
  before(async () => {
    server = await startHttpServer('protected', [`--login-host=${LOGIN_HOST}`]);
    const oauth = { scopes: ['openid', 'read'] };
    w = await openWorkbench({ settings: { 'mcpHost.servers': { box: { url: server.url('/mcp'), oauth } } } });
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    await server?.stop();
  });

  it('is requested in the row, and its consent names both sides before a browser opens', async () => {
    const tree = w.wb.tree('Servers');
    await tree.row('box').filter({ hasText: 'sign-in required' }).waitFor();
    await w.picture('sign-in-row');
    await tree.action('box', 'Sign In');
    const { text, detail, buttons } = await w.wb.modal();
    await w.picture('sign-in-consent');
    assert.match(text, /Sign in to MCP server "box"\?/);
    assert.match(detail, /Authorization server: \[::1\]:\d+/);
    assert.match(detail, /Permissions: openid, read, offline_access/);
    assert.ok(buttons.includes('Open Browser'));
    await w.wb.answerModal('Cancel');
    await tree.row('box').filter({ hasText: 'sign-in required' }).waitFor();
  });

  it('uses the pages of the authorization server, shows the account, and can be ended', async () => {
    const tree = w.wb.tree('Servers');
    await signIn();
    await w.picture('sign-in-done');
    await w.wb.hover(tree.row('box').locator('.label-name'), /Signed in as alice at \[::1\]:\d+/);
    await w.page.screenshot({ path: `${artifacts()}/sign-in-done-hover.png` });

    await w.wb.command('MCP Host: Manage Trust…');
    const [row = ''] = await w.wb.quickRowsWith('Account');
    assert.match(row, /^Account, box · alice at \[::1\]:\d+, Permissions: .*read/);
    await w.picture('sign-in-accounts');
    await w.wb.dismiss();

    await w.wb.chooseInContextMenu(tree.row('box'), 'Sign Out');
    await w.wb.notification('You are signed out of MCP server "box". Its access was revoked.');
    await tree.row('box').filter({ hasText: 'sign-in required' }).waitFor();
    await w.picture('sign-out');
  });

  it('asks for the additional permission that a call needs, and the call succeeds', async () => {
    await signIn();
    await runTool(w, 'Wait');
    const { text, detail } = await w.wb.modal();
    await w.picture('step-up-consent');
    assert.match(text, /Sign in to MCP server "box"\?/);
    assert.match(detail, /Permissions: (?=.*read).*write/);
    await throughPages(w);
    await w.wb.webview().locator('.outcome', { hasText: 'OK' }).waitFor();
    await w.picture('step-up-done');
  });

  it('reports an ended sign-in that cannot be renewed, and signs in again', async () => {
    const tree = w.wb.tree('Servers');
    await fetch(server.url('/__end?grants'), { method: 'DELETE' });
    await runTool(w, 'Echo', { args: { text: 'hello' } });
    const row = tree.row('box').filter({ hasText: 'needs you to sign in again' });
    await row.waitFor();
    await tree.expand('box');
    await tree.locator.getByText('Choose "Sign In" on its row to sign in again').waitFor();
    await w.picture('sign-in-ended');
    await eventually(async () => assert.equal(await w.wb.dialog.count(), 0, 'nothing is asked by itself'));
    await resultOf(w, 'could not call echo: your sign-in has ended');
    await signIn(() => w.wb.webview().getByRole('button', { name: 'Sign In' }).first().click());
    await w.picture('sign-in-again');
  });

  /** While an earlier sign-in is being given up, there is no other one. */
  const askToSignIn = () =>
    persist(async () => {
      if (await w.wb.dialog.isVisible()) return;
      await w.wb.tree('Servers').action('box', 'Sign In');
      await w.wb.dialog.waitFor({ timeout: attemptMs });
    }, 'the consent to a sign-in');

  /** As a person does: the consent, the login page in a tab of its own, and back. */
  async function signIn(begin = askToSignIn): Promise<void> {
    await begin();
    await throughPages(w);
    await w.wb
      .tree('Servers')
      .row('box')
      .filter({ hasNotText: /sign-in|starting/ })
      .waitFor();
  }
});

/** From the consent in the editor to the page that leads back; who has signed in there before is not asked again as whom. */
async function throughPages(w: Workbench): Promise<void> {
  const opens = w.page.context().waitForEvent('page');
  await w.wb.answerModal('Open Browser');
  const page = await opens;
  const go = page.getByRole('button', { name: /continue/i });
  const login = page.locator('input[name=login]');
  await login.or(go).waitFor();
  if (await login.isVisible()) {
    await login.fill('alice');
    await page.locator('input[name=password]').fill('alice');
    await w.picture('sign-in-waiting');
    await page.screenshot({ path: `${artifacts()}/sign-in-login-page.png` });
    await page.getByRole('button', { name: /sign-in/i }).click();
  }
  await go.waitFor();
  await page.screenshot({ path: `${artifacts()}/sign-in-consent-page.png` });
  await go.click();
  // The page that the editor has for this closes itself where the browser lets it.
  await page.getByText('You can close this page').waitFor();
  await page.screenshot({ path: `${artifacts()}/sign-in-back.png` });
  await page.close(); // behind another page the browser draws once a second
}

describe('sign-in to a server whose entry has exceptions', () => {
  const OTHER = 'https://login.example';
  let server: HttpServerFixture;
  let w: Workbench;
  before(async () => {
    server = await startHttpServer('protected', [`--login-host=${LOGIN_HOST}`]);
    const variant = { issuer: OTHER, metadata: { code_challenge_methods_supported: null } };
    await fetch(server.url('/__variant'), { method: 'PUT', body: JSON.stringify(variant) });
    const oauth = { issuer: OTHER, pkce: 'assumed', scopes: ['openid', 'read'] };
    w = await openWorkbench({
      settings: { 'mcpHost.servers': { plain: { url: server.url('/mcp') }, box: { url: server.url('/mcp'), oauth } } },
    });
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    await server?.stop();
  });

  it('says before the browser opens what each gives up, and works', async () => {
    const tree = w.wb.tree('Servers');
    await tree.row('box').filter({ hasText: 'sign-in required' }).waitFor();
    await tree.action('box', 'Sign In');
    const { detail } = await w.wb.modal();
    await w.picture('sign-in-exceptions');
    assert.match(
      detail,
      /⚠ issuer = https:\/\/login\.example: An authorization server at another address may use this name/,
    );
    assert.match(detail, /⚠ pkce = assumed: If the authorization server does not check PKCE/);
    await throughPages(w);
    await tree
      .row('box')
      .filter({ hasNotText: /sign-in|starting/ })
      .waitFor();
  });

  it('is refused beside it, where the entry has none, with both names and the field', async () => {
    await w.wb.tree('Servers').action('plain', 'Sign In');
    await w.wb.notification(
      /calls itself https:\/\/login\.example\..*"oauth": \{ "issuer": "https:\/\/login\.example" \}/s,
    );
    await w.picture('sign-in-refused');
  });
});
