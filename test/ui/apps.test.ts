import * as assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { fixturePath } from '../servers/spawn';
import { openWorkbench, type Workbench } from '../setup/workbench';

const server = (...flags: string[]) => ({ command: process.execPath, args: [fixturePath('apps'), ...flags] });

describe('apps of tools', () => {
  let w: Workbench;
  let app: FrameLocator;
  before(async () => {
    w = await openWorkbench({
      workspace: 'editor',
      settings: { 'mcpHost.servers': { apps: server('--hostile') } },
    });
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('apps').filter({ hasText: 'tools' }).waitFor();
    app = w.wb.webview().locator('iframe.app').contentFrame();
  });
  after(() => w?.close());

  const run = async (tool: string, title: string) => {
    await w.wb.command('MCP Host: Run Tool…');
    await w.wb.searchAndPick(tool);
    await w.wb.quickInput.locator('.quick-input-title', { hasText: '· title' }).waitFor();
    await w.wb.input(title);
  };

  /** What the app has written down of what it was told. */
  const row = (text: string) => app.locator('#log li', { hasText: text });

  it('open beside after Run Tool…, once the person has seen what they can reach', async () => {
    await run('show_board', 'tea');
    const { text, detail } = await w.wb.modal();
    assert.match(text, /Show the app "show_board" of MCP server "apps"\?/);
    assert.match(detail, /It can reach nothing on the network\./);
    await w.picture('app-agreement');
    await w.wb.answerModal('Show App');
    await w.wb.tab('show_board').waitFor();
    await row('ui/notifications/tool-input {"arguments":{"title":"tea"}}').waitFor();
    await row('ui/notifications/tool-result').filter({ hasText: 'show_board is done' }).waitFor();
    await w.picture('app-board');
  });
});
