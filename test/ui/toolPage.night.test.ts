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
  const { field, json, runButton, result, hasFocus, press, type, runUntil } = onPage(() => w);

  it('shows 20,000 lines on request', async () => {
    await open('draw_long');
    await runUntil('OK');
    await result('line 1000');
    await page.getByRole('button', { name: 'Show all lines (20,000)' }).click();
    await result('line 20000');
  });

  it('shows 200 rows of a table, and the others on request', async () => {
    await open('draw_rows');
    await runUntil('OK');
    const cells = page.getByRole('cell');
    await eventually(async () => assert.equal(await cells.count(), 200));
    await w.picture('tool-page-rows');
    await page.getByRole('button', { name: 'Show more' }).click();
    await eventually(async () => assert.equal(await cells.count(), 201));
  });

  it('has a form for 200 values with optional ones collapsed, and JSON for unbounded ones', async () => {
    await open('ask_many');
    await field('value 7').fill('seven');
    await eventually(async () => assert.equal(await field('value 8').isVisible(), false));
    await w.picture('tool-page-many');
    await runUntil('OK');
    await result('seven');
    // Where the key is pressed, the result would be far below.
    await page.getByText('Optional arguments (199)').click();
    await field('value 9').fill('nine');
    await press('Control+Enter');
    await result('nine');
    const isSeen = inPage<boolean>(
      'e => { const { top } = e.getBoundingClientRect(); return top >= 0 && top < innerHeight; }',
    );
    for (const part of ['.outcome', '.result'])
      await eventually(async () => assert.ok(await page.locator(part).evaluate(isSeen), part));
    await w.picture('tool-page-many-result');
    await open('ask_endless');
    await json().fill('{ "node": { "name": "a", "next": { "next": {} } } }');
    await runUntil('OK');
    await result('next');
  });

  it('asks for names and values in rows, for the kind of a value, and for null, by keyboard alone', async () => {
    await open('ask_kinds');
    const args = (expected: object) =>
      eventually(async () => assert.deepEqual(JSON.parse(await json().inputValue()), expected));
    const group = (name: string) => page.getByRole('group', { name: new RegExp(`^${name} `) });
    const headers = group('headers');
    await hasFocus(headers.getByRole('button', { name: 'Add' }), 'the first button');
    await press('Enter');
    await hasFocus(headers.getByRole('textbox', { name: 'Name 1' }), 'the new row');
    await type('X-A');
    await press('Tab');
    await type('1');
    await press('Tab');
    await press('Tab');
    await press('Enter');
    await type('X-B');
    await press('Tab');
    await type('2');
    await args({ headers: { 'X-A': '1', 'X-B': '2' } });
    await headers.getByRole('button', { name: 'Remove 1' }).press('Enter');
    await hasFocus(headers.getByRole('textbox', { name: 'Name 1' }), 'the row that is left');
    await args({ headers: { 'X-B': '2' } });
    const price = group('Price');
    await price.getByRole('textbox').fill('12.5');
    await args({ headers: { 'X-B': '2' }, price: 12.5 });
    await price.getByRole('combobox', { name: 'Kind of value' }).selectOption('Text');
    await price.getByRole('textbox').fill('12.50');
    const limits = group('limits');
    await limits.getByRole('button', { name: 'Add' }).press('Enter');
    await limits.getByRole('textbox', { name: 'Name 1' }).fill('cpu');
    await limits.getByRole('combobox').selectOption('Whole number');
    await limits.getByRole('textbox', { name: 'Value 1' }).fill('4');
    await group('owner').getByRole('combobox').selectOption('null');
    await page.getByRole('combobox', { name: /^sort / }).selectOption('null');
    const all = { headers: { 'X-B': '2' }, price: '12.50', limits: { cpu: 4 }, owner: null, sort: null };
    await args(all);
    await field('code').fill('nonsense');
    await field('address').fill('here');
    await page.getByText('Enter a valid IPv6 address, such as 2001:db8::1.').waitFor();
    await page.getByText('Must match the pattern ^(?:[A-Z]{3}-)').waitFor();
    await page.getByText('JSON: Array<{ path: string; deny?: boolean } | string>').waitFor();
    await assertAccessibleInThemes(w, 'tool-page-kinds');
    await json().fill(JSON.stringify({ ...all, limits: { memory: null } }));
    await eventually(async () =>
      assert.equal(await limits.getByRole('textbox', { name: 'Name 1' }).inputValue(), 'memory'),
    );
    await runUntil('OK');
    await result('memory: null');
  });

  it('has rows of one height in a table that scrolls to the right', async () => {
    await open('draw_wide');
    await runUntil('OK');
    await page.getByRole('cell', { name: 'deployment-3' }).waitFor();
    const heights = inPage<number[]>(
      'table => [...table.tBodies[0].rows].map(row => Math.round(row.getBoundingClientRect().height))',
    );
    const [first, ...others] = await page.getByRole('table').evaluate(heights);
    assert.ok(others.length === 2 && others.every(height => height === first), String([first, others]));
    const scrolls = inPage<boolean>('part => part.scrollWidth > part.clientWidth');
    await eventually(async () => assert.equal(await page.locator('.shown').evaluate(scrolls), true));
    await assertAccessibleInThemes(w, 'tool-page-wide');
  });

  it('is restored after a reload with what was typed, without having run anything @toolPage.restored-reload-typed', async () => {
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

  it('says after a reload that a run was interrupted', async () => {
    await open('trigger-long-running-operation');
    await field('duration').fill('600');
    await runButton().click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    await w.reload();
    await page.getByText('Interrupted by a reload. It may have been carried out all the same').waitFor();
    await w.picture('tool-page-interrupted');
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
