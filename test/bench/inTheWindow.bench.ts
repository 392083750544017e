// What a person does in a window: opens a resource of 10 MB from the tree, beside the same text as a file, and scrolls the
// protocol trace while native chat makes 5,000 calls, beside as many that the editor's own client makes alone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workbench } from '../drivers/workbench';
import { type BenchRow, relative } from './row';
import { lagWhile } from './window/lag';
import { ready, run, withWindow } from './window/measured';
import { largeText } from './wire/largeText';
import { wireServer } from './wire/rawClient';

const rounds = 5;
const bytes = 10 * 1024 * 1024;
const calls = 5_000;
const scrolls = 3;
const FILE = 'large.txt';

const settings = {
  'mcpHost.servers': { wire: { command: process.execPath, args: [wireServer, '--file'] } },
  'chat.tools.global.autoApprove': true,
};
const prepare = (folder: string) => writeFileSync(join(folder, FILE), largeText(bytes));

export const rows = (): AsyncGenerator<BenchRow> =>
  withWindow({ settings, prepare }, async function* (w) {
    await ready(w, 1);
    yield* openings(w);
    yield* scrolling(w);
  });

async function* openings(w: Workbench): AsyncGenerator<BenchRow> {
  const ours = { ms: [] as number[], lag: [] as number[] };
  const files = { ms: [] as number[], lag: [] as number[] };
  const open = async (view: string, label: string) => {
    await w.host.command('workbench.action.closeAllEditors');
    const row = w.wb.tree(view).row(label).first();
    await row.waitFor();
    let ms = 0;
    const lag = await lagWhile(w.page, async () => {
      const shown = w.page.evaluate(textAt);
      await row.click();
      ms = await shown;
    });
    return { ms, lag };
  };
  for (let round = -1; round < rounds; round++) {
    await w.host.command('workbench.view.explorer');
    const file = await open('Files Explorer', FILE);
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Resources').expand('wire');
    const resource = await open('Resources', FILE);
    if (round < 0) continue; // loads code
    for (const key of ['ms', 'lag'] as const) {
      files[key].push(file[key]);
      ours[key].push(resource[key]);
    }
  }
  yield relative('a resource of 10 MB beside a file: from the click to its text', ours.ms, 'ms', files.ms, 1.5);
  yield relative('a resource of 10 MB beside a file: lag of the window', ours.lag, 'ms', files.lag, 1.5);
}

/** Runs in the window. @returns the milliseconds from the next click until an editor shows text. */
function textAt(): Promise<number> {
  const page = globalThis as unknown as {
    document: {
      addEventListener(type: string, listener: () => void, options: object): void;
      querySelector(selector: string): { textContent: string | null } | null;
    };
    requestAnimationFrame(next: () => void): void;
  };
  return new Promise((resolve, reject) => {
    const latest = performance.now() + 60_000;
    let from = Number.POSITIVE_INFINITY;
    page.document.addEventListener('mousedown', () => (from = performance.now()), { capture: true, once: true });
    const look = () => {
      const line = page.document.querySelector('.editor-instance .view-line');
      const now = performance.now();
      if (now > latest) reject(new Error('There was no text in a minute.'));
      else if (now > from && line?.textContent?.includes('Jack')) resolve(now - from);
      else page.requestAnimationFrame(look);
    };
    look();
  });
}

async function* scrolling(w: Workbench): AsyncGenerator<BenchRow> {
  await Promise.all([run(w, 'chat', 'ours', 'echo', { text: 'hello' }), w.wb.answerModal('Enable')]);
  await w.wb.command('MCP Host: Show Protocol Trace');
  const page = w.wb.webview();
  await page.getByRole('grid', { name: 'Messages' }).waitFor();
  const body = page.locator('body');
  await run(w, 'chat', 'editors', 'echo', { text: 'awake' });
  const gaps = { ours: [] as number[], editors: [] as number[] };
  const lags = { ours: [] as number[], editors: [] as number[] };
  for (let round = 0; round < scrolls; round++) {
    for (const side of ['editors', 'ours'] as const) {
      const scrolled = body.evaluate(scroll);
      lags[side].push(await lagWhile(w.page, () => run(w, 'calls', side, calls)));
      await body.evaluate(stop);
      const between = (await scrolled).sort((one, other) => one - other);
      if (between.length < 50) throw new Error(`The page was drawn ${between.length} times.`);
      gaps[side].push(between[Math.floor(between.length * 0.99)]!);
    }
  }
  yield relative(
    'the trace, scrolled during 5,000 calls: gap between frames that one in a hundred exceeds',
    gaps.ours,
    'ms',
    gaps.editors,
    1.5,
  );
  yield relative('the trace, scrolled during 5,000 calls: lag of the window', lags.ours, 'ms', lags.editors, 1.3);
}

interface ScrolledPage {
  document: { querySelector(selector: string): { scrollTop: number; scrollHeight: number; clientHeight: number } };
  requestAnimationFrame(next: (at: number) => void): void;
  isOver?: boolean;
}

/** Runs in the page of the trace: scrolls through it until `stop` runs. @returns the milliseconds between frames */
function scroll(): Promise<number[]> {
  const page = globalThis as unknown as ScrolledPage;
  page.isOver = false;
  return new Promise(resolve => {
    let last = 0;
    const between: number[] = [];
    const step = (at: number) => {
      if (page.isOver) return resolve(between);
      if (last) between.push(at - last);
      last = at;
      const grid = page.document.querySelector('[role=grid]');
      const end = grid.scrollHeight - grid.clientHeight;
      grid.scrollTop = grid.scrollTop < end ? grid.scrollTop + 97 : 0;
      page.requestAnimationFrame(step);
    };
    page.requestAnimationFrame(step);
  });
}

function stop(): void {
  (globalThis as unknown as ScrolledPage).isOver = true;
}
