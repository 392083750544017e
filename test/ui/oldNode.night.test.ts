import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { eventually, shownText } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';

// With a Node that really is older where `npm run compat -- editors` has brought one; else with one that says so (bridge.cjs).
const { TEST_OLD_NODE: node } = process.env;

describe('an extension host with an outdated Node.js', () => {
  const sentence =
    /^MCP Host needs Node\.js 22 or newer, but extensions run on 20\.[\d.]+ here\. Update VS Code, or run its server with a newer Node\.js\.$/;
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ workspace: 'editor', node, env: node ? {} : { TEST_NODE_VERSION: '20.20.2' } });
  });
  after(() => w?.close());

  const said = async () => {
    const notification = await w.wb.notification('MCP Host needs');
    return shownText(notification.locator('.notification-list-item-message'));
  };

  it('shows one sentence with the remedy', async () => {
    await eventually(async () => assert.match(await said(), sentence));
  });

  it('shows a row and the sentence in the view', async () => {
    await w.wb.viewContainer('MCP');
    await w.wb.tree('Servers').row('Node.js 20.20.2 is too old').waitFor();
    await eventually(async () =>
      assert.match(await shownText(w.page.locator('.tree-explorer-viewlet-tree-view .message').first()), sentence),
    );
    await w.picture('old-node');
  });

  it('has commands that show the sentence too', async () => {
    await w.host.command('notifications.clearAll');
    await w.wb.notifications.first().waitFor({ state: 'hidden' });
    await w.host.command('mcpHost.addServer');
    await eventually(async () => assert.match(await said(), sentence));
  });

  it('leaves no other errors in the logs', async () => {
    const logs = () =>
      fs
        .readdirSync(w.server.logsDir, { recursive: true, encoding: 'utf8' })
        .filter(file => file.endsWith('.log'))
        .map(file => fs.readFileSync(path.join(w.server.logsDir, file), 'utf8'))
        .join('\n');
    await eventually(async () => assert.match(logs(), /mcp-host\.mcp-host/));
    assert.doesNotMatch(logs(), /is not a function|Activating extension mcp-host\.mcp-host failed/);
  });
});
