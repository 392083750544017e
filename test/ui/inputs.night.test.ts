import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { openQuickFixes } from '../drivers/activeEditor';
import { allowServers } from '../drivers/consent';
import { eventually } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath, waitFor } from '../servers/spawn';

const SECRET = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

/** Workspace settings with a server that needs an input, and one with a secret in plain text. */
function writeSettings(folder: string): void {
  const server = (env: Record<string, string>) => ({ command: process.execPath, args: [fixturePath('hostile')], env });
  const settings = {
    'mcpHost.inputs': [
      { type: 'promptString', id: 'weather-key', description: 'API key of the weather service', password: true },
    ],
    'mcpHost.servers': {
      weather: server({ WEATHER_API_KEY: '${input:weather-key}' }),
      github: server({ GITHUB_TOKEN: SECRET }),
    },
  };
  fs.writeFileSync(path.join(folder, '.vscode', 'settings.json'), JSON.stringify(settings, null, 2));
}

describe('inputs:', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({ workspace: 'editor', prepare: writeSettings });
    await allowServers(w);
    await w.wb.viewContainer('MCP');
  });
  after(() => w?.close());

  /** Waits until the row of a server says something, as a screen reader would. */
  const says = (label: string, what: RegExp) =>
    w.wb.tree('Servers').row(label).and(w.page.locator('[role=treeitem]')).filter({ hasText: what }).waitFor();

  it('a server that needs one shows it, and one notification offers to enter it', async () => {
    await says('weather', /needs input/);
    const notification = await w.wb.notification('"weather" needs inputs before it can start');
    await notification.getByRole('button', { name: 'Enter Inputs' }).waitFor();
    await w.wb.tree('Servers').expand('weather');
    await w.picture('inputs-row');
  });

  it('it is entered masked, and the server starts @inputs.entered-masked-server', async () => {
    await w.wb.tree('Servers').action('weather', 'Enter Inputs');
    await w.wb.input('hunter2-hunter2', { accept: false });
    const input = w.wb.quickInput.locator('.quick-input-box input');
    await eventually(async () => assert.equal(await input.getAttribute('type'), 'password'));
    await eventually(async () => assert.match(await w.wb.quickMessage(), /API key of the weather service/));
    await w.picture('inputs-enter');
    await w.wb.input('hunter2-hunter2');
    await says('weather', /tools/);
  });

  it('a secret in plain text is moved to an input by a quick fix @inputs.secret-plain-text', async () => {
    await w.wb.chooseInContextMenu(w.wb.tree('Servers').row('github'), 'Open Server Settings');
    await w.wb.tab('settings.json').waitFor();
    await w.host.until((vscode, secret) => {
      const editor = vscode.window.activeTextEditor;
      const begin = editor?.document.getText().indexOf(secret) ?? -1;
      if (!editor || begin < 0) return false;
      const at = editor.document.positionAt(begin + 5);
      editor.selection = new vscode.Selection(at, at);
      editor.revealRange(editor.selection);
      return true;
    }, SECRET);
    await w.page.locator('.squiggly-warning').first().waitFor();
    await w.host.command('workbench.action.focusActiveEditorGroup');
    const fix = (await openQuickFixes(w)).getByText('Move to an input');
    await fix.waitFor();
    await w.picture('inputs-quick-fix');
    await fix.click();
    await w.page.locator('.view-lines').getByText('${input:github-GITHUB_TOKEN}').first().waitFor();
    const file = () => fs.readFileSync(path.join(w.folder, '.vscode', 'settings.json'), 'utf8');
    await waitFor(() => !file().includes(SECRET), { what: 'the file to be saved' });
    await w.picture('inputs-moved');
    await allowServers(w); // the entry is another one now
    await says('github', /tools/);
  });

  it('saved values can be cleared, and the server asks again', async () => {
    await w.wb.command('MCP Host: Manage Trust…');
    await w.wb.quickRow('weather-key').first().waitFor();
    await w.picture('inputs-clear');
    await w.wb.quickAction('weather-key', 'Revoke');
    await w.wb.dismiss();
    await says('weather', /needs input/);
    await says('github', /tools/);
  });
});
