// What a person does with the servers that they have: remove, rename, disable, look after.
import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attemptMs, eventually, persist, soon } from '../drivers/dom';
import { answerNotification } from '../drivers/notifications';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';

const broken = { command: process.execPath, args: [fixturePath('hostile'), '--die-at=initialize'] };

describe('managing servers', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ settings: { 'mcpHost.servers': { broken } } });
    await w.wb.viewContainer('MCP');
    for (const name of ['notebook', 'everything']) await row(name).filter({ hasText: 'tools' }).waitFor();
  });
  after(() => w?.close());

  const row = (name: string) => w.wb.tree('Servers').row(name);
  const settings = () => readFileSync(join(w.folder, '.vscode/settings.json'), 'utf8');
  const lens = (text: string) =>
    w.page.locator('.codelens-decoration a', { hasText: new RegExp(`^\\s*${text}\\s*$`) }).first();

  /** Moves to a row by the arrow keys, which do not select it, and presses a key there until that has an effect. */
  async function press(name: string, key: string, effect: () => Promise<boolean>): Promise<void> {
    const { locator } = w.wb.tree('Servers');
    const focused = locator.locator('.monaco-list-row.focused .label-name');
    const label = () => focused.innerText({ timeout: attemptMs });
    let isPressed = false;
    await persist(async () => {
      if (isPressed && (await effect().catch(() => false))) return; // it came late
      await locator.press('Home', { timeout: attemptMs });
      for (let n = 0, now = await label(); n < 5 && now !== name; n++, now = await label()) {
        await locator.press('ArrowDown', { timeout: attemptMs });
        await soon(async () => (await label()) !== now, 'the focus to move');
      }
      await soon(async () => (await label()) === name, `the focus on ${name}`);
      await locator.press(key, { timeout: attemptMs });
      isPressed = true;
      await soon(effect, `what ${key} does`);
    }, `${key} on ${name}`);
  }

  it('a server is removed by the Delete key, after a question that says what is lost, and comes back with Undo', async () => {
    const before = settings();
    const panel = w.page.locator('.part.panel');
    // The editor opens its panel when a log goes that was shown last.
    await w.wb.command('MCP Host: Show Server Log');
    await w.wb.pick('everything');
    await panel.waitFor();
    await w.host.command('workbench.action.closePanel');
    await panel.waitFor({ state: 'hidden' });
    await press('everything', 'Delete', async () => (await w.wb.dialog.count()) > 0);
    const { text, detail, buttons } = await w.wb.modal();
    assert.equal(text, 'Remove the MCP server "everything"?');
    assert.match(
      detail,
      /Its entry in workspace settings is deleted, with the comments in it\.\s+Your approvals, .* are kept/,
    );
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Remove']);
    await w.picture('manage-remove');
    await w.wb.answerModal('Remove');
    await row('everything').waitFor({ state: 'detached' });
    assert.ok(!settings().includes('"everything"'));
    const removed = 'The MCP server "everything" was removed.';
    await w.wb.notification(removed);
    await w.picture('manage-undo');
    await answerNotification(w, removed, 'Undo');
    // With no question: it is what was allowed.
    await row('everything').filter({ hasText: '19 tools' }).waitFor();
    assert.equal(settings(), before);
    await eventually(async () => assert.equal(await panel.isVisible(), false));
  });

  it('a server is renamed by F2, and starts under its new name without a question', async () => {
    const input = w.wb.quickInput.locator('.quick-input-box input');
    await press('everything', 'F2', async () => (await input.inputValue({ timeout: attemptMs })) === 'everything');
    await w.wb.input('notebook', { accept: false });
    await w.wb.quickInput.getByText('There is another server named "notebook".').waitFor();
    await w.picture('manage-rename');
    await w.wb.input('all of it');
    await row('all of it').filter({ hasText: '19 tools' }).waitFor();
    await row('everything').waitFor({ state: 'detached' });
    assert.match(settings(), /"all of it": \{/);
  });

  it('a server is disabled and enabled from its menu', async () => {
    await w.wb.chooseInContextMenu(row('all of it'), 'Disable Server');
    await row('all of it').filter({ hasText: 'disabled' }).waitFor();
    assert.match(settings(), /"enabled": false/);
    const menu = await w.wb.contextMenu(row('all of it'));
    await w.picture('manage-menu');
    await w.wb.dismiss(menu);
    await w.wb.chooseInContextMenu(row('all of it'), 'Enable Server');
    await row('all of it').filter({ hasText: '19 tools' }).waitFor();
    assert.doesNotMatch(settings(), /"enabled"/);
  });

  it('the status bar lists what waits for the person, each with its remedy', async () => {
    await row('broken').filter({ hasText: 'exited with code' }).waitFor();
    await persist(async () => {
      if (!(await w.wb.quickInput.isVisible()))
        await w.wb.status('mcp-host.mcp-host.mcpHost.status').click({ timeout: attemptMs });
      await w.wb.quickInput.waitFor({ timeout: attemptMs });
    }, 'the list of what waits');
    const rows = await w.wb.quickRowsWith('Start "broken" again', 'Open the Servers View', 'Add Server…');
    assert.match(rows[0]!, /^Start "broken" again, .+ \(its process exited with code/);
    await w.picture('manage-waiting');
    await w.wb.quickAction('Start "broken" again', 'Show Log');
    await w.page.locator('.output-view .view-line', { hasText: 'dying at initialize' }).first().waitFor();
    await w.host.command('workbench.action.closePanel');
  });

  it('settings files show above each server its state and actions', async () => {
    const before = settings();
    await w.wb.chooseInContextMenu(row('notebook'), 'Open Server Settings');
    await w.wb.tab('settings.json').waitFor();
    for (const text of ['Add Server…', 'Stop', 'Restart', 'Log', '19 tools']) await lens(text).waitFor();
    await w.picture('manage-lenses');
    await lens('Stop').click();
    await w.wb.tree('Servers').locator.getByRole('treeitem').filter({ hasText: 'stopped' }).waitFor();
    await lens('Start').click();
    await lens('Start').waitFor({ state: 'detached' });
    for (const name of ['notebook', 'all of it']) await row(name).filter({ hasText: 'tools' }).waitFor();
    assert.equal(settings(), before);
    await eventually(async () =>
      assert.equal(await w.host.eval(vscode => vscode.window.activeTextEditor?.document.isDirty), false),
    );
    const turn = (on: boolean) =>
      w.host.eval(
        (vscode, value) => vscode.workspace.getConfiguration().update('mcpHost.codeLens', value, true),
        on as unknown,
      );
    await turn(false);
    await lens('Add Server…').waitFor({ state: 'detached' });
    await turn(true);
    await lens('Add Server…').waitFor();
    await w.host.command('workbench.action.closeAllEditors');
  });

  it('the gear opens the Settings editor on this extension, with categories, and changes no file', async () => {
    const before = settings();
    await persist(async () => {
      await w.page.locator('.pane-header', { hasText: 'Servers' }).hover({ timeout: attemptMs });
      await w.page
        .locator('.pane-header', { hasText: 'Servers' })
        .getByRole('button', { name: 'Open Settings', exact: true })
        .click({ timeout: attemptMs });
      await w.page.locator('.settings-editor').waitFor({ timeout: attemptMs });
    }, 'the Settings editor');
    await w.page
      .locator('.settings-editor .search-container .view-line', { hasText: '@ext:mcp-host.mcp-host' })
      .waitFor();
    const categories = w.page.locator('.settings-toc-container .settings-toc-entry');
    const has = async () => {
      const shown = await categories.allInnerTexts();
      return ['Servers', 'Chat', 'Approvals and Trust', 'Sampling', 'Connections'].every(category =>
        shown.some(text => text.startsWith(category)),
      );
    };
    await waitFor(has, { what: 'the categories' });
    await w.picture('manage-settings');
    assert.equal(settings(), before);
    await w.host.command('workbench.action.closeAllEditors');
  });

  it('the first step of the walkthrough is checked off for users who already had servers', async () => {
    await w.host.command('workbench.action.closeSidebar');
    await w.wb.command('Welcome: Open Walkthrough...');
    await w.wb.pick('Get Started with MCP Host');
    const step = w.page.locator('.getting-started-step[data-step-id$="mcpHost.start.add"]');
    await step.locator('.codicon-getting-started-step-checked.complete').waitFor();
  });

  it('rows begin with counts, which fit a narrow view', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    await w.page.setViewportSize({ width: 640, height: 700 });
    await w.wb.viewContainer('MCP');
    await row('notebook')
      .locator('.label-description', { hasText: /^\d+ tools/ })
      .waitFor();
    await w.picture('manage-narrow');
  });
});
