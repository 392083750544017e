import * as assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { said } from '../drivers/chat';
import { eventually } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';

/** As a workspace or a pasted text may name a server: a link to a command, and an icon. */
const NAME = '[x](command:workbench.action.quit) $(alert)';

describe('a server whose name contains a link and an icon', () => {
  let w: Workbench;
  before(async () => {
    const args = [fixturePath('hostile'), '--tricks', '--late-answers'];
    w = await openWorkbench({
      workspace: 'editor',
      settings: { 'mcpHost.servers': { [NAME]: { command: process.execPath, args } } },
    });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row(NAME).filter({ hasText: 'tools' }).waitFor();
  });
  after(() => w?.close());

  /** No link leads out of what is shown, and no icon of a text is in it. */
  async function isPlain(shown: Locator) {
    const markup = shown.locator('a[href], a[data-href], .codicon-alert, .codicon-pass-filled, img');
    await eventually(async () =>
      assert.deepEqual(await markup.evaluateAll(found => found.map(({ outerHTML }) => outerHTML)), []),
    );
  }

  it('shows it as text in its row and tooltip', async () => {
    const row = w.wb.tree('Servers').row(NAME);
    // Its icon is ours.
    await isPlain(row.locator('.monaco-icon-label-container'));
    await eventually(async () => assert.ok((await said(row)).includes(NAME)));
    await w.wb.hover(row, '$(alert)');
    await w.picture('plain-row');
  });

  it('shows it as text in lists and on pages @plainText.shows-text-lists', async () => {
    await w.wb.command('MCP Host: Run Tool…');
    await w.wb.quickInput.locator('.monaco-list-row').first().waitFor();
    await isPlain(w.wb.quickInput.locator('.quick-input-list'));
    await w.picture('plain-rows');
    await w.wb.pickRow(w.wb.quickInput.locator('.monaco-list-row', { hasText: 'Title' }));
    await w.wb.webview().locator('h1').waitFor();
    await eventually(async () =>
      assert.match(await said(w.wb.webview().locator('form')), /\[ok\]\(command:workbench\.action\.quit\)/),
    );
    await eventually(async () => assert.equal(await w.wb.webview().locator('a, img').count(), 0));
    await w.picture('plain-page');
  });

  it('shows it as text in what is trusted and in log names', async () => {
    await w.wb.command('MCP Host: Manage Trust…');
    await w.wb.quickInput.locator('.monaco-list-row').first().waitFor();
    await isPlain(w.wb.quickInput);
    await w.wb.dismiss();
    await w.wb.command('Output: Show Output Channels...');
    await w.wb.search('MCP: [x]');
    await isPlain(w.wb.quickInput.locator('.monaco-list-row', { hasText: 'MCP: [x]' }));
    await w.picture('plain-logs');
    await w.wb.dismiss();
  });
});
