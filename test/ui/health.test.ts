import * as assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { fixturePath, waitFor } from '../servers/spawn';
import { openWorkbench, type Workbench } from '../setup/workbench';

const hostile = (...flags: string[]) => ({ command: process.execPath, args: [fixturePath('hostile'), ...flags] });

describe('the health of a server', () => {
  let w: Workbench;
  let page: FrameLocator;
  const card = (id: string) => page.locator(`.card[data-id=${id}]`);
  before(async () => {
    w = await openWorkbench({
      settings: { 'mcpHost.servers': { broken: hostile('--exit-at-start=3') }, 'mcpHost.pingInterval': 1 },
    });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('broken').filter({ hasText: 'exited with code 3' }).waitFor();
  });
  after(() => w?.close());

  it('is opened from its row, and moves while it is seen', async () => {
    const row = w.wb.tree('Servers').row('notebook');
    await row.filter({ hasText: 'ready' }).waitFor();
    await w.wb.chooseInContextMenu(row, 'Show Server Health');
    await w.wb.tab('MCP Server Health').waitFor();
    page = w.wb.webview();
    await page.getByRole('heading', { name: 'ready' }).waitFor();
    await card('process').filter({ hasText: '% of one processor' }).waitFor();
    const uptime = await card('uptime').locator('.value').innerText();
    await waitFor(async () => (await card('uptime').locator('.value').innerText()) !== uptime, {
      timeoutMs: 10_000,
      what: 'the uptime to move',
    });
  });
});
