import * as assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { traceLines } from '../../src/features/trace/core/traceFile';
import type { TraceRecord } from '../../src/host/trace/traceLog';
import { assertAccessible, assertAccessibleInThemes, useTheme } from '../drivers/accessibility';
import { attemptMs, clickInRow, eventually, persist } from '../drivers/dom';
import { closeNotification } from '../drivers/notifications';
import { enterJson, resultOf, runTool } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';

/** The table in the tab that is shown. */
class TracePage {
  readonly grid: Locator;
  readonly rows: Locator;
  readonly details: Locator;

  constructor(readonly frame: FrameLocator) {
    this.grid = frame.getByRole('grid', { name: 'Messages' });
    this.rows = this.grid.locator('.row');
    this.details = frame.getByRole('region', { name: 'Details of the message' });
  }

  row(text: string | RegExp): Locator {
    return this.rows.filter({ hasText: text });
  }

  button(name: string): Locator {
    return this.frame.getByRole('button', { name, exact: true });
  }

  get filter(): Locator {
    return this.frame.getByRole('searchbox', { name: 'Filter messages by text' });
  }

  /** How many rows there are, drawn or not. */
  async count(): Promise<number> {
    return Number(await this.grid.getAttribute('aria-rowcount')) - 1;
  }

  async counts(wanted: (count: number) => boolean): Promise<void> {
    let count = 0;
    const isSo = async () => {
      count = await this.count();
      return wanted(count);
    };
    await waitFor(isSo, { what: () => `another number of rows than ${count}` });
  }

  /** Clicks a row until its details say this: one that is drawn anew below the mouse takes no click. */
  async select(row: Locator, says: string): Promise<void> {
    const selected = row.and(this.frame.locator('[aria-selected=true]'));
    await persist(async () => {
      await row.click({ timeout: attemptMs });
      await selected.waitFor({ timeout: attemptMs });
      await this.details.getByText(says).first().waitFor({ timeout: attemptMs });
    }, `the details that say "${says}"`);
  }
}

describe('the protocol trace', () => {
  let w: Workbench;
  let trace: TracePage;
  before(async () => {
    w = await openWorkbench();
    await w.wb.viewContainer('MCP');
    await w.page.locator('.label-description', { hasText: '19 tools' }).waitFor();
  });
  after(() => w?.close());

  const copied = async (wanted: RegExp) => {
    let text = '';
    const isThere = async () => {
      text = await w.host.eval(async vscode => vscode.env.clipboard.readText());
      return wanted.test(text);
    };
    await waitFor(isThere, { what: () => `${wanted} in the clipboard, which has: ${text}` });
  };
  const sendAgain = async (params: object) => {
    await trace.button('Send Again…').click();
    await w.wb.tab('get-sum').waitFor();
    await enterJson(w.wb.webview(), params);
    await w.wb.webview().getByRole('button', { name: 'Send tools/call to everything' }).click();
    await w.wb.tab('get-sum').waitFor({ state: 'detached' });
  };

  it('shows messages of servers and the editor, each request with its answer', async () => {
    await runTool(w, 'get-sum', { args: { a: 4, b: 3 } });
    await resultOf(w, 'The sum of 4 and 3 is 7');
    const header = w.page.locator('.pane-header', { hasText: 'Servers' });
    await clickInRow(header, 'Show Protocol Trace');
    trace = new TracePage(w.wb.webview());
    const call = trace.row('tools/call').filter({ hasText: 'get-sum' });
    await call.filter({ hasText: 'ok' }).waitFor();
    await trace.row('initialize').first().waitFor();
    await trace.row('server/discover').filter({ hasText: 'not supported' }).first().waitFor();
    await eventually(async () => assert.doesNotMatch(await trace.frame.locator('footer').innerText(), /error/));
    await eventually(async () =>
      assert.match(
        (await call.innerText()).replace(/\s+/g, ' '),
        /everything request tools\/call get-sum You Caller: You ok .* ms/,
      ),
    );
    await w.picture('trace');
  });

  it('shows request and answer in full beside the table', async () => {
    await trace.select(trace.row('get-sum'), 'The sum of 4 and 3 is 7');
    await eventually(async () => assert.match(await trace.details.innerText(), /"method": "tools\/call"/));
    await w.picture('trace-details');
    await trace.details.getByRole('button', { name: 'Open in an Editor' }).last().click();
    const text = await w.host.until(vscode => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document?.uri.scheme === 'mcp-trace' && document.languageId === 'json' ? document.getText() : undefined;
    });
    assert.match(text ?? '', /\n {2}"result": \{\n/);
    await w.picture('trace-body');
    await w.host.command('workbench.action.closeActiveEditor');
    trace = new TracePage(w.wb.webview());
    await trace.details.getByText('The sum of 4 and 3 is 7').waitFor();
  });

  it('copies a request as a command line and as a call of the SDK', async () => {
    await trace.button('Copy as curl').click();
    await copied(/printf .*sleep 5; \} \| /s);
    await trace.button('Copy as SDK Call').click();
    await copied(/await client\.callTool\(\{\n {2}name: "get-sum"/);
  });

  it('sends a request again as edited, and shows the outcome', async () => {
    await sendAgain({ name: 'get-sum', arguments: { a: 40, b: 2 } });
    trace = new TracePage(w.wb.webview());
    await trace.details.getByText('The sum of 40 and 2 is 42').waitFor();
    await w.picture('trace-sent-again');
    await sendAgain({ name: 'get-sum', arguments: { a: 'forty' } });
    trace = new TracePage(w.wb.webview());
    await trace.row('get-sum').filter({ hasText: 'error' }).waitFor();
  });

  it('compares two calls, filters by tool, keeps pinned rows in sight, and makes a test of a call', async () => {
    const calls = trace.row('get-sum').filter({ hasText: 'ok' });
    await trace.select(calls.first(), 'The sum of 4 and 3 is 7');
    await trace.button('Pin').click();
    await trace.button('Unpin').waitFor();
    await trace.button('Select for Compare').click();
    await trace.select(calls.nth(1), 'The sum of 40 and 2 is 42');
    await trace.button('Compare with Selected').click();
    await w.host.until(
      vscode => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff,
    );
    await w.page.locator('.monaco-diff-editor').filter({ hasText: '42' }).waitFor();
    await w.picture('trace-compared');
    await w.host.command('workbench.action.closeActiveEditor');
    trace = new TracePage(w.wb.webview());
    const choice = (name: string) => trace.frame.getByRole('combobox', { name });
    await choice('Filter messages by tool').selectOption('get-sum');
    await trace.counts(count => count === 3);
    await choice('Filter messages by tool').selectOption('');
    await choice('Filter messages by caller').selectOption('You');
    await trace.counts(count => count === 3);
    await choice('Filter messages by caller').selectOption('');
    await choice('Filter messages by method').selectOption('prompts/list');
    await trace.row('prompts/list').first().waitFor();
    await trace.row('get-sum').filter({ hasText: 'pinned' }).waitFor();
    await eventually(async () => assert.equal(await trace.row('get-sum').count(), 1));
    await w.picture('trace-pinned');
    await trace.select(trace.row('get-sum'), 'The sum of 4 and 3 is 7');
    await trace.button('Record as Test…').click();
    await w.wb.pick('The clipboard');
    await copied(/^- name: get-sum\n {2}steps:\n {4}- call: get-sum\n {6}arguments:\n {8}a: 4\n/);
    await trace.button('Unpin').click();
    await choice('Filter messages by method').selectOption('');
    await trace.button('Pin').waitFor();
  });

  it('keeps notes on a message, from key and button, and finds them', async () => {
    const call = trace.row('get-sum').filter({ hasText: 'ok' }).first();
    await trace.select(call, 'The sum of 4 and 3 is 7');
    await trace.grid.focus();
    await w.page.keyboard.press('n');
    await w.wb.quickInput.locator('.quick-input-title', { hasText: 'Note on This Message' }).waitFor();
    await w.wb.input('Is seven right?');
    await call.filter({ hasText: 'Note: Is seven right?' }).waitFor();
    await trace.details.getByText('Is seven right?').waitFor();
    await w.picture('trace-note');
    await trace.filter.fill('seven right');
    await trace.counts(count => count === 1);
    await trace.filter.fill('');
    await trace.counts(count => count > 1);
    await trace.button('Change Note…').click();
    await w.wb.quickInput.locator('.quick-input-title', { hasText: 'Note on This Message' }).waitFor();
    await w.wb.input('');
    await call.filter({ hasNotText: 'Note:' }).waitFor();
    await trace.button('Add Note…').click();
    await w.wb.quickInput.locator('.quick-input-title', { hasText: 'Note on This Message' }).waitFor();
    await w.wb.input('Seven is right');
    await call.filter({ hasText: 'Note: Seven is right' }).waitFor();
    // Another tab has it as well.
    await w.host.command('workbench.action.closeActiveEditor');
    await clickInRow(w.page.locator('.pane-header', { hasText: 'Servers' }), 'Show Protocol Trace');
    trace = new TracePage(w.wb.webview());
    const noted = trace.row('get-sum').first().filter({ hasText: 'Note: Seven is right' });
    await trace.select(noted, 'The sum of 4 and 3 is 7');
  });

  it('does not resend what the person has denied, and names the reason', async () => {
    const deny = (tools: string[]) =>
      w.host.eval(
        (vscode, denied) => vscode.workspace.getConfiguration('mcpHost').update('approvals.deny', denied, true),
        tools,
      );
    const sent = () => eventually(async () => assert.equal(await trace.row('get-sum').count(), 3));
    await sent();
    await deny(['everything/get-sum']);
    await sendAgain({ name: 'get-sum', arguments: { a: 1, b: 1 } });
    const refusal = /get-sum on MCP server "everything" is denied by your approvals/;
    await w.wb.notification(refusal);
    await w.picture('trace-send-denied');
    await closeNotification(w, refusal);
    trace = new TracePage(w.wb.webview());
    await sent();
    await deny([]);
  });

  it('filters by server, method, text in bodies, and errors', async () => {
    const all = await trace.count();
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('notebook'), 'Show Protocol Trace');
    await trace.counts(count => count > 0 && count < all);
    await eventually(async () => assert.equal(await trace.row('everything').count(), 0));
    await trace.frame.getByRole('combobox', { name: 'Filter messages by server' }).selectOption('');
    await trace.frame.getByRole('combobox', { name: 'Filter messages by method' }).selectOption('tools/call');
    await trace.counts(count => count === 3);
    await trace.button('Errors').click();
    await trace.counts(count => count === 1);
    await w.picture('trace-errors');
    await trace.button('Errors').click();
    await trace.grid.focus();
    await w.page.keyboard.press('Control+F');
    await trace.filter.and(trace.frame.locator(':focus')).waitFor();
    await w.page.keyboard.type('SUM OF 40');
    await trace.counts(count => count === 1);
    await w.picture('trace-filter');
    await trace.filter.fill('nothing has this');
    await trace.button('Clear the Filter').waitFor();
    await w.picture('trace-no-match');
    await trace.button('Clear the Filter').click();
    await trace.button('Pair').click();
    await trace.counts(count => count > all);
    await w.picture('trace-every-message');
    await trace.button('Pair').click();
  });

  it('works with the keyboard alone', async () => {
    await trace.grid.focus();
    await w.page.keyboard.press('Home');
    const selected = () => trace.grid.locator('[aria-selected=true]');
    const isSelected = (row: number) =>
      selected()
        .and(trace.frame.locator(`[aria-rowindex="${row}"]`))
        .waitFor();
    await isSelected(2);
    await w.page.keyboard.press('ArrowDown');
    await w.page.keyboard.press('ArrowDown');
    await isSelected(4);
    await eventually(async () =>
      assert.equal(await trace.grid.getAttribute('aria-activedescendant'), await selected().getAttribute('id')),
    );
    await trace.details.waitFor();
    await w.wb.dismiss(trace.details);
    await w.page.keyboard.press('Enter');
    await trace.details.locator('pre').first().waitFor();
  });

  it('passes axe in any theme', async () => {
    await trace.select(trace.row('get-sum').filter({ hasText: 'error' }), 'forty');
    await trace.details.locator('pre').first().waitFor();
    await assertAccessibleInThemes(w, 'trace');
  });

  it('is exported as JSON Lines, and opened again', async () => {
    const file = join(w.folder, 'trace.jsonl');
    const count = await trace.count();
    await trace.button('Export as JSON Lines…').click();
    const box = w.wb.quickInput.locator('.quick-input-box input');
    const isSuggested = async () => /mcp-trace-.*\.jsonl$/.test(await box.inputValue());
    await waitFor(isSuggested, { what: () => 'a file dialog with a name' });
    await w.wb.input(file);
    const isWritten = () => existsSync(file) && readFileSync(file, 'utf8').includes('The sum of 40 and 2 is 42');
    await waitFor(isWritten, { what: () => `${file} to be written` });
    await w.wb.command('MCP Host: Open Protocol Trace File…');
    await w.wb.pickRow(w.wb.quickInput.locator('.monaco-list-row', { hasText: 'trace.jsonl' }));
    await w.wb.tab('trace.jsonl (trace file)').waitFor();
    trace = new TracePage(w.wb.webview());
    // A server may be pinged between the count and the export.
    await trace.counts(found => found >= count);
    await trace.select(trace.row('get-sum').first(), 'The sum of 4 and 3 is 7');
    await trace.details.getByText('Caller: You').waitFor();
    await trace.details.getByText('Seven is right').waitFor();
    await eventually(async () => assert.equal(await trace.button('Send Again…').count(), 0));
    await w.picture('trace-file');
  });

  it('shows waiting requests as a waterfall, for keyboard and screen readers too, in any theme', async () => {
    const file = join(w.folder, 'nested.jsonl');
    writeFileSync(file, [...traceLines(nestedRecords(), ({ text }) => text)].join(''));
    await openFile('nested.jsonl');
    await trace.button('Waterfall').click();
    await trace.grid.locator('.row .timeline').first().waitFor();
    const call = trace.row('plan_trip').first();
    await eventually(async () =>
      assert.equal(
        await call.locator('.timeline').innerText(),
        '4.20 s, waited 3.00 s for 2 requests, 4 notifications',
      ),
    );
    const asks = trace.row('elicitation/create').first();
    await eventually(async () =>
      assert.equal(await asks.locator('.timeline').innerText(), '2.00 s, part of tools/call plan_trip'),
    );
    await trace.select(call, 'plan_trip');
    await w.page.keyboard.press('ArrowRight');
    const selected = (text: string) => trace.row(text).and(trace.frame.locator('[aria-selected=true]')).waitFor();
    await selected('sampling/createMessage');
    await w.page.keyboard.press('ArrowLeft');
    await selected('plan_trip');
    await w.wb.dismiss(trace.details);
    await w.picture('trace-waterfall');
    await assertAccessibleInThemes(w, 'trace-waterfall');
    await w.host.command('workbench.action.closeSidebar');
    await w.page.setViewportSize({ width: 360, height: 800 });
    await trace.grid.locator('.head .time').waitFor({ state: 'hidden' });
    await assertAccessible(w);
    await w.picture('trace-waterfall-narrow');
    await useTheme(w, 'Dark Modern');
    await w.picture('trace-waterfall-narrow-dark');
    await w.page.setViewportSize({ width: 1_400, height: 900 });
    await trace.grid.locator('.head .time').waitFor();
    await trace.button('Waterfall').click();
    await trace.grid.locator('.row .size').first().waitFor();
  });

  it('scrolls through 10,000 rows with few of them in the document, as a waterfall too', async () => {
    const few = await scrolled('small.jsonl', 500);
    const many = await scrolled('large.jsonl', 10_000);
    for (const [index, { most, work, last }] of many.entries()) {
      const small = few[index]!;
      console.log(`      ${most} rows in the document; ${work} calls in the page, with few rows ${small.work}`);
      assert.ok(most < 200, `${most} rows`);
      assert.equal(last, '10001');
      // Twenty times the rows, but the same work for a frame.
      assert.ok(small.work > 1_000, `${small.work} calls: not those of the page`);
      assert.ok(work < 1.2 * small.work, `${work} calls in the page, with few rows ${small.work}`);
    }
  });

  /** Opens a trace that is in the window's folder. */
  async function openFile(name: string) {
    await w.host.eval(
      (vscode, path) => vscode.commands.executeCommand('mcpHost.openTraceFile', vscode.Uri.file(path)),
      join(w.folder, name),
    );
    await w.wb.tab(`${name} (trace file)`).waitFor();
    trace = new TracePage(w.wb.webview());
  }

  /** Opens a trace of that many requests, and scrolls through it: as a table, and as a waterfall. */
  async function scrolled(name: string, requests: number) {
    const file = join(w.folder, name);
    writeFileSync(file, [...traceLines(manyRecords(requests), ({ text }) => text)].join(''));
    await openFile(name);
    await trace.counts(count => count === requests);
    const table = await counted();
    await w.picture(`trace-${requests}`);
    await trace.button('Waterfall').click();
    await trace.grid.locator('.row .timeline').first().waitFor();
    const waterfall = await counted();
    await w.picture(`trace-waterfall-${requests}`);
    return [table, waterfall];
  }

  /** Scrolls, and counts how often functions of the page were called for it: the same on any machine. */
  async function counted() {
    const session = await w.page.context().newCDPSession(w.page);
    await session.send('Profiler.enable');
    await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const scrolled = await trace.grid.evaluate(scrollThrough);
    const { result } = await session.send('Profiler.takePreciseCoverage');
    await session.detach();
    const functions = result.filter(({ url }) => url.includes('trace-view.js')).flatMap(script => script.functions);
    const work = functions.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
    return { ...scrolled, work };
  }
});

/** What this test uses of the page. */
interface Scrolled {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  querySelectorAll(selector: string): ArrayLike<{ getAttribute(name: string): string | null }>;
}

/** Scrolls by more than a page each frame, from the bottom to the top again where there are few rows. Runs in the page. */
async function scrollThrough(element: unknown) {
  const { requestAnimationFrame } = globalThis as unknown as {
    requestAnimationFrame(run: (now: number) => void): void;
  };
  const frame = () => new Promise<number>(resolve => requestAnimationFrame(resolve));
  const grid = element as Scrolled;
  const [steps, byPixels] = [24, 10_000];
  const end = grid.scrollHeight - grid.clientHeight;
  let most = 0;
  for (let step = 0; step <= steps; step++) {
    grid.scrollTop = step === steps ? end : (step * byPixels) % end;
    await frame();
    await new Promise(resolve => setTimeout(resolve, 0));
    most = Math.max(most, grid.querySelectorAll('.row').length);
  }
  await frame();
  const rows = grid.querySelectorAll('.row');
  const last = rows[rows.length - 1]?.getAttribute('aria-rowindex');
  return { most, last };
}

/** A call that asks a model and the person before it is done, an hour after another; one that failed, and one that goes on. */
function nestedRecords(): TraceRecord[] {
  const start = Date.UTC(2026, 0, 1, 12);
  const records: TraceRecord[] = [];
  const add = (after: number, direction: TraceRecord['direction'], message: object, server = 'trips') => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    records.push({ seq: records.length + 1, at: start + after, server, direction, text, size: text.length });
  };
  const progress = (after: number, done: number) =>
    add(after, 'received', {
      method: 'notifications/progress',
      params: { progressToken: 7, progress: done, total: 4, message: 'looking for a train' },
    });
  add(0, 'sent', { id: 6, method: 'tools/call', params: { name: 'find_station' } });
  add(700, 'received', { id: 6, result: { content: [] } });
  const later = 3_600_000;
  const _meta = { progressToken: 7 };
  add(later, 'sent', { id: 7, method: 'tools/call', params: { name: 'plan_trip', _meta } });
  progress(later + 100, 1);
  progress(later + 250, 2);
  add(later + 300, 'received', { id: 1, method: 'sampling/createMessage', params: {} });
  add(later + 1_300, 'sent', { id: 1, result: {} });
  add(later + 1_400, 'sent', { id: 8, method: 'resources/read', params: { uri: 'map://here' } }, 'maps');
  add(later + 1_500, 'received', { id: 2, method: 'elicitation/create', params: { message: 'Which train?' } });
  add(later + 1_900, 'received', { id: 8, error: { code: -32002, message: 'No such map' } }, 'maps');
  add(later + 3_500, 'sent', { id: 2, result: { action: 'accept' } });
  progress(later + 3_700, 3);
  progress(later + 4_000, 4);
  add(later + 4_200, 'received', { id: 7, result: { content: [] } });
  add(later + 4_300, 'sent', { id: 9, method: 'tools/call', params: { name: 'book' } });
  add(later + 4_500, 'received', { id: 3, method: 'elicitation/create', params: { message: 'Pay?' } });
  return records;
}

/** Requests of several servers with their answers. */
function* manyRecords(count: number): Generator<TraceRecord> {
  const servers = ['github', 'postgres', 'browser', 'files'];
  const tools = ['search_code', 'query', 'open_page', 'read_file', 'list_issues'];
  const start = Date.UTC(2026, 0, 1, 12);
  for (let id = 0; id < count; id++) {
    const server = servers[id % servers.length]!;
    const name = tools[id % tools.length]!;
    const ms = 2 ** (id % 14) / 4;
    const failed = id % 37 === 0;
    const message = (direction: TraceRecord['direction'], at: number, more: object, seq: number): TraceRecord => {
      const text = JSON.stringify({ jsonrpc: '2.0', id, ...more });
      return { seq, at, server, direction, text, size: text.length };
    };
    const asked = start + id * 20_000;
    yield message(
      'sent',
      asked,
      { method: 'tools/call', params: { name, arguments: { q: `${name} ${id}` } } },
      2 * id + 1,
    );
    const answer = failed
      ? { error: { code: -32603, message: 'The upstream service is not available' } }
      : { result: { content: [{ type: 'text', text: 'x'.repeat(id % 900) }] } };
    yield message('received', asked + ms, answer, 2 * id + 2);
  }
}
