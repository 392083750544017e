import * as assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { assertAccessibleInThemes, useTheme } from '../drivers/accessibility';
import { eventually, inPage } from '../drivers/dom';
import { openTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';
import { onPage } from './onPage';

describe('the page of a tool, at length', () => {
  let w: Workbench;
  let page: FrameLocator;

  before(async () => {
    const pages = { command: process.execPath, args: [fixturePath('hostile'), '--page-tools'] };
    w = await openWorkbench({ settings: { 'mcpHost.servers': { pages } } });
    await w.wb.viewContainer('MCP');
    page = w.wb.webview();
    for (const server of ['everything', 'pages'])
      await w.wb.tree('Servers').row(server).filter({ hasText: 'tools' }).waitFor();
  });
  after(() => w?.close());

  const open = (tool: string) => openTool(w, tool);
  const { field, json, runButton, result, runUntil } = onPage(() => w);

  it('shows 20,000 lines on request', async () => {
    await open('draw_long');
    await runUntil('OK');
    await result('line 1000');
    await page.getByRole('button', { name: 'Show all lines (20,000)' }).click();
    await result('line 20000');
  });

  it('has a form for 200 values with optional ones collapsed, and JSON for unbounded ones', async () => {
    await open('ask_many');
    await field('value 7').fill('seven');
    await eventually(async () => assert.equal(await field('value 8').isVisible(), false));
    await w.picture('tool-page-many');
    await runUntil('OK');
    await result('seven');
    await open('ask_endless');
    await json().fill('{ "node": { "name": "a", "next": { "next": {} } } }');
    await runUntil('OK');
    await result('next');
  });

  it('is restored after a reload with what was typed, without having run anything', async () => {
    await open('get-sum');
    await field('a').fill('40');
    await field('b').fill('2');
    // What the page has drawn it has also kept.
    await eventually(async () => assert.deepEqual(JSON.parse(await json().inputValue()), { a: 40, b: 2 }));
    await w.reload();
    await w.wb.tab('Get Sum Tool').waitFor();
    await page.getByRole('heading', { name: 'Get Sum Tool' }).waitFor();
    await waitFor(async () => (await runButton().getAttribute('aria-disabled')) === 'false', { what: 'the tool' });
    await page.getByText('Not run yet.').waitFor();
    await eventually(async () => assert.equal(await page.locator('.runs li').count(), 0));
    await eventually(async () => assert.equal(await field('a').inputValue(), '40'));
    await field('a').fill('1');
    await runUntil('OK');
    await result('The sum of 1 and 2 is 3');
  });

  it('passes axe in any theme, and fits a width of 300', async () => {
    await assertAccessibleInThemes(w, 'tool-page');
    await open('draw_table');
    await runUntil('OK');
    await page.getByRole('cell', { name: 'Paris' }).waitFor();
    await assertAccessibleInThemes(w, 'tool-page-table');
    await useTheme(w, 'Dark Modern');
    await w.host.command('workbench.action.closeSidebar');
    await w.page.setViewportSize({ width: 360, height: 800 });
    await w.picture('tool-page-narrow');
    // When the page has got that width.
    const isNarrow = inPage<boolean>('main => main.clientWidth < 400');
    await waitFor(() => page.locator('main').evaluate(isNarrow), { what: 'the page to be narrow' });
    const lines = await page.getByRole('cell', { name: 'Rome', exact: true }).evaluate(
      inPage<number>(`cell => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size;
      }`),
    );
    assert.equal(lines, 1, 'no short word is broken');
  });
});
