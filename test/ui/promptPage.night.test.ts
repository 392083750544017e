import * as assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { assertAccessible, assertAccessibleInThemes } from '../drivers/accessibility';
import { eventually, inPage } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { onPage } from './onPage';

describe('the page', () => {
  let w: Workbench;
  let page: FrameLocator;
  const complaints: string[] = [];

  before(async () => {
    w = await openWorkbench();
    w.page.on('console', message => {
      if (/Content Security Policy|tool-view/.test(message.text())) complaints.push(message.text());
    });
    await w.wb.viewContainer('MCP');
    page = w.wb.webview();
    await w.wb.tree('Servers').row('everything').filter({ hasText: 'tools' }).waitFor();
  });
  after(() => w?.close());

  const { acts, field, result, hasFocus, press, type } = onPage(() => w);

  it("of a prompt suggests the server's values, and shows the messages as they would be sent", async () => {
    await w.host.command('workbench.action.closeAllEditors');
    const tree = w.wb.tree('Servers');
    await tree.expand('everything');
    await tree.expand('Prompts');
    await tree.open('Team Management', w.wb.tab('Team Management'));
    const option = (name: string) => page.getByRole('option', { name, exact: true });
    await hasFocus(field('department'), 'the first field');
    acts.length = 0;
    await press('ArrowDown');
    await option('Engineering').waitFor();
    await press('Escape');
    // They come while one types, too.
    await type('E');
    await option('Engineering').waitFor();
    await press('Control+a');
    await w.picture('prompt-page-suggestions');
    await assertAccessible(w);
    await type('Sa');
    // The suggestions for "S" alone differ, and a new list begins with nothing selected.
    await eventually(async () => assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['Sales']));
    await press('ArrowDown');
    await page.locator('[aria-selected=true]', { hasText: 'Sales' }).waitFor();
    await press('Enter');
    await eventually(async () => assert.equal(await field('department').inputValue(), 'Sales'));
    await press('Tab');
    await hasFocus(field('name'), 'the second field');
    await press('ArrowDown');
    // Those of the department, which is what the other field holds.
    await option('Eve').waitFor();
    await eventually(async () =>
      assert.deepEqual(await page.getByRole('option').allInnerTexts(), ['David', 'Eve', 'Frank']),
    );
    await press('Escape');
    await option('Eve').waitFor({ state: 'detached' });
    await type('Eve');
    await press('Control+Enter');
    await result('Please promote Eve to the head of the Sales team.');
    assert.equal(acts.length, 12, acts.join());
    await page.locator('.result h3', { hasText: '1. User' }).waitFor();
    await w.picture('prompt-page');
    const buttons = page.locator('main > .buttons').getByRole('button');
    const inOrder = ['Run (Ctrl+Enter)', 'Run in Chat', 'Copy', 'Open as Document'];
    await eventually(async () => assert.deepEqual(await buttons.allInnerTexts(), inOrder));
    await page.locator('.buttons').getByRole('button', { name: 'Copy', exact: true }).click();
    const copied = await w.host.until(async vscode => {
      const text = await vscode.env.clipboard.readText();
      return text.includes('Eve') && text;
    });
    assert.equal(copied, 'Please promote Eve to the head of the Sales team.');
    await press('Control+Enter');
    // The one that is shown is not among those before it.
    await eventually(async () => assert.equal(await page.locator('.runs li').count(), 1));
    await page.getByRole('button', { name: 'Open as Document' }).click();
    await w.wb.tab('completable-prompt.md.mcp').waitFor();
  });

  it('of a prompt names missing arguments, and sends it to chat with its arguments', async () => {
    await w.wb.tree('Servers').open('Arguments Prompt', w.wb.tab('Arguments Prompt'));
    await hasFocus(page.locator('#field-0'), 'the first field');
    await page.getByRole('button', { name: 'Run in Chat' }).click();
    await page.locator('.field-problem', { hasText: 'A value is required' }).waitFor();
    await page.locator('#field-0').fill('Paris');
    await page.locator('.field-problem', { hasText: 'A value is required' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Run in Chat' }).click();
    await w.page.locator('.interactive-request', { hasText: 'city="Paris"' }).first().waitFor();
    await w.picture('prompt-page-chat');
    await w.host.command('workbench.action.closeAuxiliaryBar');
  });

  it('of a resource template shows the expanded URI, reads it, and opens it as a file', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    const tree = w.wb.tree('Servers');
    await tree.expand('Templates');
    await tree.open('Dynamic Text Resource', w.wb.tab('Dynamic Text Resource'));
    const id = page.locator('#field-0');
    await hasFocus(id, 'its only field');
    await page.locator('.uri', { hasText: '{resourceId}' }).waitFor();
    await type('7');
    await page.locator('.uri', { hasText: 'demo://resource/dynamic/text/7' }).waitFor();
    await press('Enter');
    await result('Resource 7');
    await w.picture('template-page');
    await assertAccessible(w);
    await page.getByRole('button', { name: 'Open as File' }).first().click();
    const opened = await w.host.until(vscode => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document?.uri.scheme.startsWith('mcp') && document.getText();
    });
    assert.match(opened || '', /Resource 7/);
  });

  it('of a prompt and of a template pass axe too, in any theme, and fit that width', async () => {
    const tree = w.wb.tree('Servers');
    for (const [kind, group, name, value, says] of [
      ['prompt', 'Prompts', 'Arguments Prompt', 'Paris', "What's weather in Paris?"],
      ['template', 'Templates', 'Dynamic Text Resource', '7', 'Resource 7'],
    ] as const) {
      await w.page.setViewportSize({ width: 1_400, height: 900 });
      await w.host.command('workbench.action.closeAllEditors');
      await w.wb.viewContainer('MCP');
      await tree.expand('everything');
      await tree.expand(group);
      await tree.open(name, w.wb.tab(name));
      await hasFocus(page.locator('#field-0'), 'the first field');
      await type(value);
      await press('Control+Enter');
      await result(says);
      await assertAccessibleInThemes(w, `${kind}-page`);
      await w.host.command('workbench.action.closeSidebar');
      await w.page.setViewportSize({ width: 360, height: 800 });
      const isWide = inPage<boolean>('main => main.scrollWidth > main.clientWidth');
      await eventually(async () => assert.equal(await page.locator('main').evaluate(isWide), false));
    }
    assert.deepEqual(complaints, []);
  });
});
