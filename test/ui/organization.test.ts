import assert from 'node:assert/strict';
import { fixturePath } from '../servers/spawn';
import { useTheme } from '../setup/accessibility';
import { eventually, inPage } from '../setup/dom';
import { openWorkbench, type Workbench } from '../setup/workbench';

const hostile = { command: process.execPath, args: [fixturePath('hostile')] };

describe("the organization's rules", () => {
  let w: Workbench;
  before(async () => {
    // The lists of the editor are rules like those of a file, which a test must not put into a folder of the machine.
    w = await openWorkbench({
      settings: {
        'chat.mcp.deniedServers': [{ serverName: 'files' }, { serverUrl: 'https://*.evil.example/*' }],
        'mcpHost.servers': { files: hostile, notes: hostile },
      },
    });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('are named in the row of a server that they refuse, with what can be done', async () => {
    const tree = w.wb.tree('Servers');
    const row = tree.row('files');
    await row
      .filter({ hasText: 'your organization denies it by the rule {"serverName":"files"} in chat.mcp.deniedServers' })
      .waitFor();
    await tree.row('notes').filter({ hasText: 'tools' }).waitFor();
    const copy = tree.row('Copy Request for Approval');
    await tree.open('files', copy);
    await tree.row('Show Organization Rules').waitFor();
    await w.picture('organization-refused');
    await copy.click();
    const copied = w.wb.notifications.filter({ hasText: 'The request for "files" was copied' });
    await copied.waitFor();
    await w.picture('organization-request');
    const text = await w.host.eval(vscode => vscode.env.clipboard.readText());
    assert.match(text, /^Please allow the MCP server "files"\.\n/);
    assert.match(text, /\nCommand: .*node.*\nTools: not known, as it has not run yet\n/);
    assert.match(text, /\nRefused, because your organization denies it by the rule/);
  });

  it('are shown as a page, from the row of what they refuse', async () => {
    await w.wb.command('Notifications: Clear All Notifications');
    await w.wb.tree('Servers').row('Show Organization Rules').click();
    const page = w.page.locator('.editor-instance .view-lines');
    await eventually(async () => {
      const text = (await page.innerText()).replaceAll('\u00a0', ' ');
      assert.match(text, /Denied: \{"serverName":"files"\}, \{"serverUrl":"https:\/\/\*\.evil\.example\/\*"\}/);
      assert.match(text, /files: refused, because/);
      assert.match(text, /notes: may start/);
    });
    for (const theme of ['Default Light Modern', 'Dark Modern'] as const) {
      await useTheme(w, theme, false);
      await w.picture(`organization-rules-${theme === 'Dark Modern' ? 'dark' : 'light'}`);
    }
    await w.host.command('workbench.action.closeSidebar');
    await w.page.setViewportSize({ width: 350, height: 900 });
    // Long lines are wrapped, none is cut off.
    const isWhole = inPage<boolean>(
      "lines => [...lines.querySelectorAll('.view-line > span')].every(line => line.getBoundingClientRect().right < 340)",
    );
    await eventually(async () => assert.ok(await page.evaluate(isWhole)));
    await w.picture('organization-rules-narrow');
  });
});
