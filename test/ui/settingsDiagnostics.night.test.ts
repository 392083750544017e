import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { openQuickFixes } from '../drivers/activeEditor';
import { openWorkbench, type Workbench } from '../drivers/workbench';

const SERVERS = {
  lone: { command: 'node' },
  address: { url: 'localhost:3000/mcp', headers: { Authorization: 'Bearer ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8' } },
  space: { url: 'https://example.com/my mcp', enabled: false },
  elsewhere: { command: 'C:\\servers\\one.exe', timeout: 60, enabled: false },
  mixed: { type: 'sse', command: 'one' },
  mcpServers: { Mixed: { command: 'one', alwaysAllow: ['all'], enabled: false } },
};

describe('mistakes in settings:', () => {
  let w: Workbench;
  before(async () => {
    const settings = { 'mcpHost.servers': SERVERS };
    w = await openWorkbench({
      workspace: 'editor',
      prepare: folder =>
        fs.writeFileSync(path.join(folder, '.vscode', 'settings.json'), JSON.stringify(settings, null, 2)),
    });
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  it('stand in the Problems panel once each, with quick fixes, and on the rows', async () => {
    const row = w.wb.tree('Servers').row('lone');
    await row.filter({ hasText: '"args" is missing' }).waitFor();
    await w.wb.chooseInContextMenu(row, 'Open Server Settings');
    await w.wb.tab('settings.json').waitFor();
    const problems = () =>
      w.host.until(vscode => {
        const uri = vscode.window.activeTextEditor?.document.uri;
        const found = uri ? vscode.languages.getDiagnostics(uri) : [];
        return found.length >= 9 && found.map(({ source, message }) => `${source}: ${message}`);
      });
    await problems();
    await w.host.command('workbench.actions.view.problems');
    await w.page.locator('.markers-panel').getByText('contains a space').first().waitFor();
    await w.picture('settings-mistakes');
    const all = (await problems()) as string[];
    assert.deepEqual(
      all.filter(one => !one.startsWith('MCP Host: ')),
      [],
    );
    assert.deepEqual([...new Set(all)], all);
  });

  it('are mended by their quick fixes', async () => {
    await w.host.until(vscode => {
      const editor = vscode.window.activeTextEditor;
      const begin = editor?.document.getText().indexOf('localhost:3000') ?? -1;
      if (!editor || begin < 0) return false;
      const at = editor.document.positionAt(begin + 2);
      editor.selection = new vscode.Selection(at, at);
      editor.revealRange(editor.selection);
      return true;
    });
    await w.host.command('workbench.action.focusActiveEditorGroup');
    const fix = (await openQuickFixes(w)).getByText('Start it with "http://"');
    await fix.waitFor();
    await w.picture('settings-quick-fix');
    await fix.click();
    await w.page.locator('.view-lines').getByText('http://localhost:3000/mcp').first().waitFor();
  });
});
