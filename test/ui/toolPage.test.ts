import * as assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { assertAccessible } from '../drivers/accessibility';
import { eventually, inPage, persist, soon } from '../drivers/dom';
import { openTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';
import { onPage } from './onPage';

const hostile = (...flags: string[]) => ({ command: process.execPath, args: [fixturePath('hostile'), ...flags] });

describe('the page of a tool', () => {
  let w: Workbench;
  let page: FrameLocator;
  const complaints: string[] = [];

  before(async () => {
    const servers = { pages: hostile('--page-tools'), tricks: hostile('--tricks') };
    w = await openWorkbench({ settings: { 'mcpHost.servers': servers } });
    w.page.on('console', message => {
      if (/Content Security Policy|tool-view/.test(message.text())) complaints.push(message.text());
    });
    await w.wb.viewContainer('MCP');
    page = w.wb.webview();
    for (const server of ['everything', 'pages', 'tricks'])
      await w.wb.tree('Servers').row(server).filter({ hasText: 'tools' }).waitFor();
  });
  after(() => w?.close());

  const open = (tool: string) => openTool(w, tool);
  const { acts, field, json, runButton, result, hasFocus, press, type, runUntil } = onPage(() => w);

  it('opens with a click on its row, and runs twice with other arguments by seven more keys', async () => {
    acts.length = 0;
    const tree = w.wb.tree('Servers');
    await tree.expand('everything');
    await tree.expand('Tools');
    const row = tree.row('Get Sum Tool');
    const before = await row.boundingBox();
    acts.push('click');
    await tree.open('Get Sum Tool', w.wb.tab('Get Sum Tool'));
    await hasFocus(field('a'), 'the first field');
    await type('20');
    await press('Tab');
    await hasFocus(field('b'), 'the second field');
    await type('22');
    await press('Enter');
    await result('The sum of 20 and 22 is 42');
    await hasFocus(field('b'), 'the field of before');
    await press('Control+a');
    await type('1');
    await press('Enter');
    await result('The sum of 20 and 1 is 21');
    assert.deepEqual(acts, ['click', '20', 'Tab', '22', 'Enter', 'Control+a', '1', 'Enter']);
    await eventually(async () =>
      assert.deepEqual(await row.boundingBox(), before, 'no row has moved under the pointer'),
    );
    await w.picture('tool-page');
  });

  it('works without a mouse: palette, name, arguments, run, and again', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    await w.wb.command('MCP Host: Run Tool…');
    await w.wb.quickInput.locator('.quick-input-title', { hasText: 'Run Tool' }).waitFor();
    acts.length = 0;
    await persist(async () => {
      await w.wb.quickInput.locator('.quick-input-box input').fill('Echo Tool');
      await soon(async () => (await w.wb.quickRows())[0]?.startsWith('Echo Tool') === true, 'the tool first');
    }, 'the tool to be found');
    await press('Enter');
    await hasFocus(field('message'), 'the field');
    await type('one');
    await press('Enter');
    await result('Echo: one');
    await hasFocus(field('message'), 'the field of before');
    await press('Control+a');
    await type('two');
    await press('Control+Enter');
    await result('Echo: two');
    assert.deepEqual(acts, ['Enter', 'one', 'Enter', 'Control+a', 'two', 'Control+Enter']);
  });

  it('keeps text typed right after everything was selected', async () => {
    // The editor hears of the keys that come to the window of the page, and would select all anew, when it gets to it.
    const heard = inPage<void>(`page => {
      page.ownerDocument.defaultView.addEventListener('keydown', ({ key }) => { page.dataset.keys = (page.dataset.keys ?? '') + key; });
    }`);
    const main = page.locator('main');
    await main.evaluate(heard);
    await field('message').press('Control+a');
    await type('x');
    await eventually(async () => assert.equal(await field('message').inputValue(), 'x'));
    await eventually(async () => assert.equal(await main.getAttribute('data-keys'), 'Controlx'));
  });

  it('keeps JSON and form in step, and shows problems at their field', async () => {
    await open('get-sum');
    // It begins with the arguments of the last time.
    await waitFor(async () => (await field('b').inputValue()) === '1', { what: 'the last arguments' });
    await field('b').fill('');
    await field('a').fill('4');
    await waitFor(async () => /"a": 4/.test(await json().inputValue()), { what: 'the number in the JSON' });
    await runButton().click();
    await page.locator('.field-problem', { hasText: 'A value is required' }).waitFor();
    await hasFocus(field('b'), 'what is missing');
    await w.picture('tool-page-problem');
    await json().fill('{ "a": 5, "b": "x" }');
    await page.locator('.field-problem', { hasText: 'Enter a number' }).waitFor();
    await eventually(async () => assert.equal(await field('a').inputValue(), '5'));
    await eventually(async () => assert.equal(await field('b').getAttribute('aria-invalid'), 'true'));
    await json().fill('{ "a": 5,');
    await page.locator('.beside .field-problem', { hasText: 'not JSON' }).waitFor();
    await json().fill('{ "a": 5, "b": 6 }');
    await waitFor(async () => (await field('b').inputValue()) === '6', { what: 'the number in the form' });
    await runUntil('OK');
    await result('The sum of 5 and 6 is 11');
  });

  it('lists the runs, and runs one of them again or takes its arguments', async () => {
    const runs = page.locator('.runs li');
    await runs.filter({ hasText: '{"a":20,"b":22}' }).getByRole('button', { name: 'Run Again' }).click();
    await result('The sum of 20 and 22 is 42');
    await runs.filter({ hasText: '{"a":20,"b":1}' }).getByRole('button', { name: 'Use These Arguments' }).click();
    await waitFor(async () => (await field('b').inputValue()) === '1', { what: 'the arguments of that run' });
    await runs.filter({ hasText: '{"a":5,"b":6}' }).getByRole('button', { name: 'Show' }).click();
    await result('The sum of 5 and 6 is 11');
    await page.getByRole('button', { name: 'Copy Call' }).click();
    const copied = await w.host.until(async vscode => {
      const text = await vscode.env.clipboard.readText();
      return text.includes('tools/call') && text;
    });
    assert.deepEqual(JSON.parse(copied || '{}').params, { name: 'get-sum', arguments: { a: 20, b: 1 } });
  });

  it('draws structured content as table and tree, pictures, and links that open after a question @toolPage.draws-structured-content', async () => {
    await open('draw_table');
    await runUntil('OK');
    await page.getByRole('cell', { name: '<b>no markup</b>' }).waitFor();
    await eventually(async () =>
      assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), ['city', 'people', 'note']),
    );
    await w.picture('tool-page-table');
    await page.getByRole('button', { name: 'Tree' }).click();
    await page.locator('.tree summary', { hasText: 'rows' }).waitFor();
    await open('get-tiny-image');
    await runUntil('OK');
    const loaded = () =>
      page.locator('img').evaluate(image => (image as unknown as { naturalWidth: number }).naturalWidth > 0);
    await waitFor(loaded, { what: 'the picture to be drawn' });
    await w.picture('tool-page-image');
    await open('draw_sound');
    await runUntil('OK');
    await page.locator('audio').waitFor();
    await page.getByText('This picture cannot be shown').waitFor();
    await page.getByRole('button', { name: 'Open Website…' }).click();
    assert.match((await w.wb.modal()).text + (await w.wb.modal()).detail, /example\.com/);
    await w.wb.answerModal('Not Now');
    await w.picture('tool-page-sound');
  });

  it('has pickers for days and moments, and a line of text for one without a zone', async () => {
    await open('ask_moments');
    const picker = (type: string) => page.locator(`input[type=${type}]`);
    await picker('date').fill('2026-01-31');
    await picker('datetime-local').fill('2026-01-31T08:00');
    await picker('time').fill('09:30');
    const zoned =
      /"day": "2026-01-31",\n {2}"at": "2026-01-31T08:00:00[+-]\d\d:\d\d",\n {2}"clock": "09:30:00[+-]\d\d:\d\d"/;
    await eventually(async () => assert.match(await json().inputValue(), zoned));
    await assertAccessible(w);
    await w.picture('tool-page-moments');
    await json().fill('{ "at": "2026-02-01T08:00:00", "clock": "23:59:00Z" }');
    await eventually(async () => assert.equal(await field('At').inputValue(), '2026-02-01T08:00:00'));
    await picker('datetime-local').waitFor({ state: 'detached' });
    await json().fill('{ "clock": "23:59:00Z" }');
    await picker('datetime-local').waitFor();
    await runUntil('OK');
    await result('23:59:00Z');
  });

  it('shows the progress of a slow call, and cancels it', async () => {
    await open('trigger-long-running-operation');
    // Long enough for a machine on which each step of this test takes long.
    await field('duration').fill('300');
    await field('steps').fill('600');
    await runButton().click();
    await page.locator('.status', { hasText: /[1-9]\d* of 600/ }).waitFor();
    await w.picture('tool-page-progress');
    const background = inPage<string>('e => getComputedStyle(e).backgroundColor');
    await runButton().hover();
    const cancel = page.getByRole('button', { name: 'Cancel', exact: true });
    await eventually(async () =>
      assert.equal(await runButton().evaluate(background), await cancel.evaluate(background)),
    );
    await cancel.click();
    await result('You cancelled this call.');
    await page.locator('.outcome[data-kind="cancelled"]', { hasText: /· cancelled · \d/ }).waitFor();
    await page.getByRole('button', { name: 'Show Server Log' }).waitFor({ state: 'detached' });
  });

  it('shows texts of a server as plain text @toolPage.shows-texts-server', async () => {
    await open('mcp_search_tools');
    await page.locator('.description', { hasText: '<img src=x onerror=alert(1)>' }).waitFor();
    await runUntil('OK');
    await result('<img src=x onerror=alert(1)>');
    await eventually(async () => assert.equal(await page.locator('img, a').count(), 0));
    await w.picture('tool-page-tricks');
  });

  it('reports that its tool is gone or its server stopped, and returns when the server starts', async () => {
    await open('call_once');
    await runUntil('OK');
    await page.locator('.notice', { hasText: 'no longer offers a tool called call_once' }).waitFor();
    await w.picture('tool-page-gone');
    await open('get-sum');
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('everything'), 'Stop Server');
    await page.locator('.notice', { hasText: 'is not running' }).waitFor();
    await eventually(async () => assert.equal(await runButton().getAttribute('aria-disabled'), 'true'));
    await w.picture('tool-page-stopped');
    await page.getByRole('button', { name: 'Start Server' }).click();
    await waitFor(async () => (await runButton().getAttribute('aria-disabled')) === 'false', { what: 'the tool' });
    // Ready: until then it is as it was last time, and nothing can be allowed.
    await eventually(async () => {
      const row = (await w.wb.tree('Servers').read()).find(({ label }) => label === 'everything');
      assert.equal(row?.icon, 'pass-filled');
    });
  });

  it('shows how calls by models are answered, and changes that', async () => {
    await page.getByText('Calls by models: you are asked').waitFor();
    await page.getByRole('button', { name: 'Change Approval…' }).click();
    await w.wb.pick('Always allow in this workspace');
    await page.getByText('Calls by models: allowed').waitFor();
    await hasFocus(page.getByRole('button', { name: 'Change Approval…' }), 'the button of before');
    // Shown again, it begins with its first field.
    await w.wb.command('MCP Host: Run Tool…', w.wb.quickInput.getByPlaceholder('Select a tool to run'));
    await w.wb.searchAndPick('get-sum');
    await hasFocus(field('a'), 'the first field');
  });

  it('passes axe, and breaks no rule of its content security policy', async () => {
    await assertAccessible(w);
    assert.deepEqual(complaints, []);
  });
});
