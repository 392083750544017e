import * as assert from 'node:assert/strict';
import { attemptMs, persist } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { fixturePath } from '../servers/spawn';

const hostile = (...flags: string[]) => ({ command: process.execPath, args: [fixturePath('hostile'), ...flags] });

describe('logs', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench({
      settings: {
        'mcpHost.servers': { shop: hostile('--log-beat=700'), weather: hostile('--log-beat=1100') },
      },
    });
    await w.wb.viewContainer('MCP');
    // Until all have started, rows and notices come and take the keyboard.
    for (const name of ['shop', 'weather', 'notebook', 'everything'])
      await w.wb
        .tree('Servers')
        .row(name)
        .filter({ hasText: /\d tools/ })
        .waitFor();
  });
  after(() => w?.close());

  /** The text of an open log, once it matches all of these. */
  const logWith = async (name: string, ...patterns: string[]): Promise<string> => {
    const found = await w.host.until(
      (vscode, named, wanted) => {
        const document = vscode.workspace.textDocuments.find(
          ({ uri }) => uri.scheme === 'output' && decodeURIComponent(uri.path).includes(named),
        );
        const text = document?.getText() ?? '';
        return wanted.every(pattern => new RegExp(pattern).test(text)) ? text : undefined;
      },
      name,
      patterns,
    );
    return found ?? '';
  };
  const output = () => w.page.locator('.part.panel .output-view-container, .part.panel .monaco-editor').first();

  it("set to another level with the editor's command request that level from the server", async () => {
    await w.wb.command('MCP Host: Show Server Log');
    await w.wb.pick('shop');
    await logWith('MCP shop', 'request \\d+ answered');
    await w.wb.command('Developer: Set Log Level...');
    await w.wb.input('MCP: shop', { accept: false });
    await w.wb.pick('MCP: shop');
    await w.picture('logs-set-level');
    await w.wb.pick('Debug');
    const text = await logWith('MCP shop', '\\[debug\\] \\[server cache\\] looked up key \\d+');
    assert.match(text, /its log messages are asked for from "debug" on[\s\S]*\[debug\]/);
    await output().getByText('looked up key').first().waitFor();
    await w.picture('logs-debug');
  });

  it('fold structured data when opened in an editor', async () => {
    await w.host.command('workbench.action.openActiveLogOutputFile');
    await w.host.command('workbench.action.closePanel'); // only lines in view are drawn, and servers that start late fill the first
    const editor = w.page.locator('.part.editor .monaco-editor');
    await editor.getByText('"sql"').first().waitFor();
    // What is logged meanwhile comes unfolded.
    await persist(async () => {
      await w.host.command('editor.foldAll');
      await editor.getByText('"sql"').first().waitFor({ state: 'detached', timeout: attemptMs });
    }, 'the structured data to be folded');
    await editor.getByText('slow query').first().waitFor();
    await w.picture('logs-folded');
  });
});
