// From the result of a tool to the first paint of its app, against an empty webview from the request for it to its own: each
// the first in its window, which is loaded anew in between. Its tool is run on the tool's page.
import type { Locator } from 'playwright-core';
import { inPage } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';
import { absolute, type BenchRow, relative } from './row';

const rounds = 7;
const server = { command: process.execPath, args: [fixturePath('apps')] };

export async function* rows(): AsyncGenerator<BenchRow> {
  const w = await openWorkbench({ workspace: 'editor', settings: { 'mcpHost.servers': { apps: server } } });
  try {
    await appPaint(w);
    const apps: number[] = [];
    const empty: number[] = [];
    for (let round = 0; round < rounds; round++) {
      // Each is first as often as the other.
      const both = [async () => void empty.push(await emptyPaint(w)), async () => void apps.push(await appPaint(w))];
      for (const measure of round % 2 === 0 ? both : both.reverse()) {
        await w.host.command('workbench.action.closeAllEditors');
        await w.reload();
        await measure();
      }
    }
    yield absolute('app: result to first paint', apps, 'ms', 500);
    yield relative('app: the same, against an empty webview', apps, 'ms', empty, 2);
  } finally {
    await w.close();
  }
}

async function appPaint(w: Workbench): Promise<number> {
  await w.wb.viewContainer('MCP');
  await w.wb.tree('Servers').row('apps').filter({ hasText: 'tools' }).waitFor();
  await w.wb.command('MCP Host: Run Tool…');
  await w.wb.searchAndPick('show_board');
  await w.wb.webview().getByRole('button', { name: 'Run (Ctrl+Enter)' }).click();
  const app = w.wb.webview(1).locator('iframe.app').contentFrame();
  const told = await app.locator('#log li', { hasText: 'ui/notifications/tool-result' }).innerText();
  const { structuredContent } = JSON.parse(told.slice(told.indexOf('{'))) as { structuredContent: { at: number } };
  return (await paintOf(app.locator('body'))) - structuredContent.at;
}

async function emptyPaint(w: Workbench): Promise<number> {
  const asked = await w.host.eval(vscode => {
    const now = Date.now();
    const { webview } = vscode.window.createWebviewPanel('empty', 'Empty', vscode.ViewColumn.Beside, {
      enableScripts: true,
    });
    // The browser counts no paint of a document that takes the place of another, as that of a webview does.
    webview.html = `<p>Empty<script>
      requestAnimationFrame(() => setTimeout(() => { document.body.dataset.painted = Date.now(); }));
    </script>`;
    return now;
  });
  const body = w.wb.webview().locator('body[data-painted]');
  return Number(await body.getAttribute('data-painted')) - asked;
}

/** When a page drew something for the first time, in milliseconds since 1970. */
const paintOf = (body: Locator): Promise<number> =>
  body.evaluate(
    inPage<Promise<number>>(`() => new Promise(resolve => {
      new PerformanceObserver(list => resolve(performance.timeOrigin + list.getEntries()[0].startTime))
        .observe({ type: 'paint', buffered: true });
    })`),
  );
