import * as assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { useTheme } from '../drivers/accessibility';
import { eventually, fillInApp, persist, soon } from '../drivers/dom';
import { runForApp } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { npmServerPath, startAppExample } from '../servers/npm';
import { type HttpServerFixture, waitFor } from '../servers/spawn';
import { inRepository } from '../setup/paths';

/** Official examples, the tool of each that has an app, and what its app shows. */
const EXAMPLES = [
  { name: 'basic-vanillajs', tool: 'get-time', shows: 'Server Time' },
  { name: 'basic-react', tool: 'get-time', shows: 'Server Time' },
  { name: 'budget-allocator', tool: 'get-budget-data', shows: 'Budget' },
  // These ask for their data themselves.
  { name: 'cohort-heatmap', tool: 'get-cohort-data', shows: '20\\d\\d', asks: true },
  { name: 'customer-segmentation', tool: 'get-customer-data', shows: 'Enterprise', asks: true },
  { name: 'scenario-modeler', tool: 'get-scenario-data', shows: 'Scenario' },
] as const;

describe('official app examples', () => {
  let w: Workbench;
  let remote: HttpServerFixture;
  let app: FrameLocator;
  before(async () => {
    remote = await startAppExample('basic-vanillajs');
    const local = EXAMPLES.map(({ name }) => {
      const args = [npmServerPath(name), '--stdio'];
      return [name, { command: process.execPath, args }];
    });
    w = await openWorkbench({
      workspace: 'editor',
      settings: {
        'mcpHost.servers': {
          ...Object.fromEntries(local),
          notebook: { command: process.execPath, args: [inRepository('dist', 'demo-server.js')] },
          remote: { type: 'http', url: remote.url('/mcp') },
        },
        'mcpHost.pins': 'warn',
      },
    });
    await w.wb.viewContainer('MCP');
    for (const name of [...EXAMPLES.map(({ name }) => name), 'notebook', 'remote'])
      await w.wb
        .tree('Servers')
        .row(name)
        .filter({ hasText: /tools?/ })
        .waitFor();
    app = w.wb.webview().locator('iframe.app').contentFrame().locator('iframe').contentFrame();
  });
  after(async () => {
    await w?.close();
    await remote?.stop();
  });

  /** Runs the tool of a server, with what its schema has as defaults. */
  async function show(id: string, tool: string): Promise<void> {
    await runForApp(w, tool, { row: id });
    await w.wb.answerModal('Show App');
  }
  /** Allows what apps ask by themselves, until this is shown. */
  async function shown(text: RegExp): Promise<void> {
    await waitFor(
      async () => {
        const allow = w.wb.dialog.getByRole('button', { name: 'Allow While the App Is Open', exact: true });
        if (await allow.isVisible()) await w.wb.answerModal('Allow While the App Is Open');
        return app.getByText(text).first().isVisible();
      },
      { timeoutMs: 30_000, what: `the app to show ${text}` },
    );
  }
  /** Closes the app, and answers what it may still ask: an open question would be in the way of whatever follows. */
  const closeApp = () =>
    persist(async () => {
      if (await w.wb.dialog.isVisible()) await w.wb.answerModal('Deny');
      await w.host.command('workbench.action.closeAllEditors');
      await soon(async () => (await w.page.locator('iframe.webview').count()) === 0, 'its tab to be gone');
      if (await w.wb.dialog.isVisible()) throw new Error('a question is open');
    }, 'the app to be closed');

  /** The page that it was in before has gone. */
  const isAlone = () =>
    eventually(async () =>
      assert.equal(await w.page.locator('iframe.webview.ready').filter({ visible: true }).count(), 1),
    );

  for (const { name, tool, shows, ...more } of EXAMPLES) {
    it(`${name} shows the result of its tool`, async () => {
      await show(name, tool);
      if ('asks' in more) await w.wb.answerModal('Allow While the App Is Open');
      await shown(new RegExp(shows, 'i'));
      await w.picture(`app-${name}`);
      if (name === 'budget-allocator') {
        await useTheme(w, 'Dark Modern');
        await w.picture(`app-${name}-dark`);
        await useTheme(w, 'Default High Contrast');
        await w.picture(`app-${name}-contrast`);
      }
      await closeApp();
    });
  }

  it('the board of the demo server adds a note, and reports its selection to the model', async () => {
    await show('notebook', 'Show the board');
    await app.locator('.facts', { hasText: /\d+ notes?, / }).waitFor(); // it has the notes, so it knows its host
    await useTheme(w, 'Dark Modern');
    for (const [name, text] of [
      ['plan', 'Tea first, then the release.'],
      ['ideas', 'A board of the notes.'],
    ] as const) {
      await fillInApp(app.getByLabel('Name of the note'), name);
      await fillInApp(app.getByLabel('Text of the note'), text);
      await app.getByRole('button', { name: 'Add Note' }).click();
      await w.wb.modal();
      await w.wb.answerModal('Allow Once');
      if (name === 'plan') {
        await w.wb.modal();
        await w.wb.answerModal('Allow While the App Is Open');
      }
      await app.getByRole('heading', { name }).waitFor();
    }
    await app.getByRole('button', { name: 'Choose plan' }).click();
    await w.wb.webview().locator('.note', { hasText: 'these are chosen: plan' }).waitFor();
    await w.picture('app-notebook-dark');
    await useTheme(w, 'Default High Contrast Light');
    await w.picture('app-notebook-contrast-light');
    await app.getByRole('button', { name: 'Read plan' }).click();
    await app.locator('dialog pre', { hasText: 'Tea first' }).waitFor();
    await app.getByRole('button', { name: 'Close' }).click();
    await app.getByRole('button', { name: 'Show Inline' }).click();
    await w.page.locator('.part.panel').getByRole('button', { name: 'Stop App' }).waitFor();
    await isAlone();
    await app.getByRole('heading', { name: 'ideas' }).waitFor();
    await useTheme(w, 'Default Light Modern');
    await w.picture('app-notebook-view');
    await app.getByRole('button', { name: 'Show in Tab' }).click();
    await w.page.locator('.part.panel').getByRole('button', { name: 'Stop App' }).waitFor({ state: 'hidden' });
    await isAlone();
    await app.getByRole('heading', { name: 'ideas' }).waitFor();
    await closeApp();
  });

  it('one over HTTP calls its tool from its page', async () => {
    await show('remote', 'get-time');
    const time = app.locator('#server-time', { hasText: /\d{4}/ }); // it says that it loads until it has the result
    const before = await time.innerText();
    await app.getByRole('button', { name: 'Get Server Time' }).click();
    const { text } = await w.wb.modal();
    assert.match(text, /The app "Get Time" asks: call get-time on MCP server "remote"\?/);
    await w.wb.answerModal('Allow Once');
    await time.filter({ hasNotText: before }).waitFor();
  });
});

describe('an app in a window whose extensions run in the browser', () => {
  let w: Workbench;
  let remote: HttpServerFixture;
  before(async () => {
    remote = await startAppExample('basic-vanillajs');
    w = await openWorkbench({
      workspace: 'editor',
      settings: {
        'remote.extensionKind': { 'mcp-host.mcp-host': ['web'] },
        'mcpHost.servers': { remote: { type: 'http', url: remote.url('/mcp') } },
      },
    });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('remote').filter({ hasText: '1 tool' }).waitFor();
  });
  after(async () => {
    await w?.close();
    await remote?.stop();
  });

  it('shows the result of its tool', async () => {
    await runForApp(w, 'get-time');
    await w.wb.answerModal('Show App');
    const app = w.wb.webview().locator('iframe.app').contentFrame().locator('iframe').contentFrame();
    await app.locator('#server-time', { hasText: /\d{4}/ }).waitFor();
    await w.picture('app-web');
    await w.page.locator('.editor-actions').getByRole('button', { name: 'Open App in Panel' }).click();
    await w.page.locator('.part.panel').getByRole('button', { name: 'Stop App' }).waitFor();
    await app.locator('#server-time', { hasText: /\d{4}/ }).waitFor();
    await w.picture('app-web-view');
  });
});
