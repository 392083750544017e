import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { attemptMs, eventually, persist } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';
import { inRepository } from '../setup/paths';

const ONE = 'changing://notes/one.txt';

/** What style sheets draw after the parts of an element. */
function drawnAfter(element: unknown): string[] {
  interface Page {
    getComputedStyle(part: unknown, pseudo: string): { content: string };
  }
  const parts = [...(element as { querySelectorAll(all: string): Iterable<unknown> }).querySelectorAll('*')];
  return parts.map(part => (globalThis as unknown as Page).getComputedStyle(part, '::after').content);
}

describe('live resources', () => {
  let w: Workbench;
  /** The fixture changes what is named here. */
  const change = (uri: string, text: string) => fs.appendFileSync(path.join(w.folder, 'control'), `${uri} ${text}\n`);
  const prepare = (folder: string) => {
    const settings = path.join(folder, '.vscode', 'settings.json');
    const args = [inRepository('out/servers/changing.js'), `--control=${path.join(folder, 'control')}`];
    fs.writeFileSync(path.join(folder, 'control'), '');
    fs.writeFileSync(
      settings,
      JSON.stringify({ 'mcpHost.servers': { changing: { command: process.execPath, args } } }),
    );
  };
  const tree = () => w.wb.tree('Resources');
  /** Waits until a row ends in this badge; it is drawn by a style sheet. */
  const badge = async (label: string, text: string) => {
    const row = tree().row(label).first();
    await row.waitFor();
    await waitFor(async () => (await row.evaluate(drawnAfter)).includes(`"${text}"`), {
      what: `the badge ${text} of ${label}`,
    });
  };
  const line = (text: string) => w.page.locator('.editor-instance .view-line', { hasText: text }).first();
  before(async () => {
    w = await openWorkbench({ prepare });
    await w.wb.viewContainer('MCP');
    await tree().row('changing').waitFor();
    await tree().expand('changing');
    await tree().expand('changing://notes');
  });
  after(() => w?.close());

  it('refresh while open, and keep their scroll position', async () => {
    await tree().row('one.txt').click();
    await line('Line 1 of one').waitFor();
    await badge('one.txt', '•');
    // To its end, where what comes is seen. Not by a key, as the editor has the focus a moment after its text.
    await w.host.until(vscode => {
      const editor = vscode.window.activeTextEditor;
      if (!editor?.document.uri.path.endsWith('one.txt')) return false;
      const { end } = editor.document.lineAt(editor.document.lineCount - 1).range;
      editor.selection = new vscode.Selection(end, end);
      editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenter);
      return true;
    });
    await w.picture('resource-live');
    change(ONE, 'Told by the server.');
    await line('Told by the server.').waitFor();
    await w.picture('resource-live-changed');
  });

  it('changed behind another editor are marked until viewed', async () => {
    await w.host.command('workbench.action.keepEditor');
    await tree().row('two.txt').click();
    await line('Line 1 of two').waitFor();
    change(ONE, 'Told behind its back.');
    await badge('one.txt', 'M');
    await w.picture('resource-changed-mark');
    await w.wb.tab('one.txt').click();
    await line('Told behind its back.').waitFor();
    await badge('one.txt', '•');
  });

  it('are pictures too', async () => {
    await tree().expand('changing://');
    await tree().row('picture.png').click();
    const image = w.wb.webview().locator('img');
    const width = () => image.evaluate(element => (element as unknown as { naturalWidth: number }).naturalWidth);
    await waitFor(async () => (await width()) === 64, { what: 'the picture' });
    await badge('picture.png', '•'); // it is told of changes
    change('changing://picture.png', '');
    await waitFor(async () => (await width()) === 128, { what: 'the larger picture' });
    await w.picture('resource-live-picture');
  });

  it('being watched announce a change, and show the difference', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    await tree().action('one.txt', 'Watch');
    await badge('one.txt', '◉');
    change(ONE, 'Told to who watches.');
    const notification = '"one.txt" from server "changing" has changed.';
    await w.wb.notification(notification);
    await badge('one.txt', 'M');
    await w.picture('resource-watched');
    await answerNotification(w, notification, 'Show Changes');
    await w.page.locator('.editor.modified .view-line', { hasText: 'Told to who watches.' }).waitFor();
    await eventually(async () =>
      assert.equal(await w.page.locator('.editor.original .view-line', { hasText: 'Told to who' }).count(), 0),
    );
    await w.picture('resource-diff');
    change(ONE, 'Told while compared.');
    await w.page.locator('.editor.modified .view-line', { hasText: 'Told while compared.' }).waitFor();
    await badge('one.txt', '◉');
  });

  it('being watched keep their mark until the change was shown, which a click on their row does', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    change(ONE, 'Told for the row.');
    const notification = '"one.txt" from server "changing" has changed.';
    await answerNotification(w, notification, 'Open');
    await line('Told for the row.').waitFor();
    await badge('one.txt', 'M');
    const label = () => tree().row('one.txt').first().getAttribute('aria-label');
    await eventually(async () => assert.match((await label()) ?? '', /^one\.txt, .*watched, changed/));
    await w.picture('resource-changed-seen');
    await w.host.command('workbench.action.closeAllEditors');
    await tree().row('one.txt').click();
    await w.page.locator('.editor.modified .view-line', { hasText: 'Told for the row.' }).waitFor();
    await eventually(async () =>
      assert.equal(await w.page.locator('.editor.original .view-line', { hasText: 'Told for' }).count(), 0),
    );
    await badge('one.txt', '◉');
    await eventually(async () => assert.match((await label()) ?? '', /watched(?!, changed)/));
    await w.picture('resource-row-diff');
  });

  it('being watched show their change by the button in their row', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    change(ONE, 'Told for the button.');
    await badge('one.txt', 'M');
    await tree().action('one.txt', 'Show Changes');
    await w.page.locator('.editor.modified .view-line', { hasText: 'Told for the button.' }).waitFor();
    await badge('one.txt', '◉');
  });

  it('are watched in the next window too, until unwatched', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    await w.reload();
    await tree().row('changing').waitFor();
    await tree().expand('changing');
    await tree().expand('changing://notes');
    await badge('one.txt', '◉');
    change(ONE, 'Told to the next window.');
    await w.wb.notification('"one.txt" from server "changing" has changed.');
    await tree().action('one.txt', 'Unwatch');
    await persist(async () => {
      await tree().row('one.txt').hover({ timeout: attemptMs });
      const watch = tree().row('one.txt').getByRole('button', { name: 'Watch', exact: true });
      await watch.waitFor({ timeout: attemptMs });
    }, 'the button that watches it again');
    await w.picture('resource-unwatched');
  });
});
