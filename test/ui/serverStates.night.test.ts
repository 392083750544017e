import * as assert from 'node:assert/strict';
import { eventually } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { type Relay, relayPort } from '../servers/relay';
import { fixturePath, type HttpFixture, startHttpFixture } from '../servers/spawn';

const hostile = (...flags: string[]) => ({ command: process.execPath, args: [fixturePath('hostile'), ...flags] });

describe('servers that do not simply run', () => {
  let http: HttpFixture;
  let w: Workbench;
  let relay: Relay;
  before(async () => {
    http = await startHttpFixture();
    relay = await relayPort(http.port);
    w = await openWorkbench({
      settings: {
        'mcpHost.servers': {
          far: { type: 'sse', url: relay.url('/sse') },
          ill: hostile('--die-at=tools/list'),
          lazy: { ...hostile(), start: 'onDemand' },
          'sign in': { url: http.url('/401') },
          slow: { ...hostile('--silent'), timeouts: { startMs: 600_000 } },
          well: hostile(),
        },
      },
    });
    await w.wb.viewContainer('MCP');
  });
  after(async () => {
    await w?.close();
    await relay?.close();
    await http?.stop();
  });

  it('show in their row what each waits for, slow starts included, and are counted in the status bar', async () => {
    const tree = w.wb.tree('Servers');
    await tree.row('slow').filter({ hasText: 'still starting…' }).waitFor();
    await tree.row('lazy').filter({ hasText: 'starts on first use' }).waitFor();
    await tree.row('sign in').filter({ hasText: 'sign-in required' }).waitFor();
    const status = w.wb.status('mcp-host.mcp-host.mcpHost.status');
    await status.and(w.page.locator('[aria-label*="1 waiting for sign-in"]')).waitFor();
    await w.picture('server-states');
  });

  it('show health in their hover while running', async () => {
    const tree = w.wb.tree('Servers');
    const lazy = tree.row('lazy');
    await tree.open('lazy', lazy.and(w.page.locator('[aria-selected=true]')));
    await w.wb.hover(tree.row('well').locator('.label-name'), /well: ready[\s\S]*Last response \d/);
    await w.page.screenshot({ path: `${process.env.TEST_ARTIFACTS}/server-health-hover.png` });
  });

  it('are reported once when they can not be reached for a while, and come back', async () => {
    const port = Number(new URL(relay.url('/')).port);
    const row = w.wb.tree('Servers').row('far');
    await row.filter({ hasText: 'tools' }).waitFor();
    await relay.close();
    // Five waits, of 31 seconds in all.
    const notification = w.wb.notifications.filter({ hasText: '"far" could not go on: not reachable for' });
    await notification.waitFor({ timeout: 180_000 });
    await eventually(async () =>
      assert.match(await notification.innerText(), /cannot reach .* \(.* It is tried again when it is used/),
    );
    await row.filter({ hasText: 'not reachable for' }).waitFor();
    await w.picture('server-not-reachable');
    relay = await relayPort(http.port, port);
    await notification.getByRole('button', { name: 'Restart' }).click();
    await row.filter({ hasText: 'tools' }).waitFor();
  });

  it('are reported once when given up, and Restart starts them again', async () => {
    // Five waits, of 31 seconds in all, and six starts.
    const notification = w.wb.notifications.filter({ hasText: 'MCP server "ill" ended unexpectedly too often' });
    await notification.waitFor({ timeout: 180_000 });
    await eventually(async () => assert.equal(await notification.count(), 1));
    await eventually(async () => assert.match(await notification.innerText(), /its process exited with code 1/));
    await w.picture('server-given-up');
    await notification.getByRole('button', { name: 'Restart' }).click();
    await w.wb.tree('Servers').row('ill').filter({ hasText: 'reconnecting…' }).waitFor();
    await notification.waitFor({ state: 'detached' });
  });
});
