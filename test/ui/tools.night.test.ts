import * as assert from 'node:assert/strict';
import { writeInEditor } from '../setup/activeEditor';
import { openWorkbench, type Workbench } from '../setup/workbench';

/** Text of the result that is shown, once there is one that matches. */
async function resultOf(w: Workbench, pattern: string): Promise<string> {
  const text = await w.host.until((vscode, source) => {
    const { document } = vscode.window.activeTextEditor ?? {};
    if (document?.uri.scheme !== 'mcp-result') return undefined;
    return new RegExp(source as string).test(document.getText()) ? document.getText() : undefined;
  }, pattern);
  return text ?? '';
}

describe('tools from the palette', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
    await w.wb.viewContainer('MCP');
    await w.page.locator('.label-description', { hasText: '19 tools' }).waitFor();
  });
  after(() => w?.close());

  const start = async (tool: string) => {
    await w.wb.command('MCP Host: Run Tool Step by Step…');
    await w.wb.searchAndPick(tool);
  };
  const write = (text: string) => writeInEditor(w.host, text, 'get-sum arguments.json');
  const atStep = (field: string) => w.wb.quickInput.locator('.quick-input-title', { hasText: field }).waitFor();

  it('ask for numbers one by one, show problems immediately, and go back', async () => {
    await start('get-sum');
    await atStep('· a');
    await w.wb.input('two', { accept: false });
    await w.wb.quickInput.locator('.quick-input-message', { hasText: 'Enter a number' }).waitFor();
    await w.picture('tool-form-problem');
    await w.wb.input('2');
    await atStep('· b');
    await w.wb.quickInput.getByRole('button', { name: 'Back' }).click();
    await atStep('· a');
    await w.wb.input('4');
    await atStep('· b');
    await w.wb.input('3');
    const text = await resultOf(w, 'The sum of 4 and 3 is 7');
    assert.match(text, /^✔ OK · get-sum · everything/);
    await w.picture('tool-result');
  });

  it('offer the values of an enum', async () => {
    await start('get-structured-content');
    await atStep('· location');
    await w.picture('tool-form-enum');
    await w.wb.pick('Chicago');
    assert.match(await resultOf(w, 'get-structured-content'), /"temperature": 36/);
  });

  it('show the picture of a result beside its text', async () => {
    await start('get-tiny-image');
    await resultOf(w, 'get-tiny-image');
    await w.wb.webview().locator('img').waitFor();
    await w.picture('tool-image');
  });

  it('take arguments as JSON, with schema problems while typing', async () => {
    await start('get-sum');
    await atStep('· a');
    await w.wb.quickInput.getByRole('button', { name: 'Edit All as JSON' }).click();
    await w.wb.tab('get-sum arguments.json').waitFor();
    await write('{"a": 20, "b": "x"}');
    await w.host.until(vscode => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document && /number/.test(vscode.languages.getDiagnostics(document.uri)[0]?.message ?? '');
    });
    await w.picture('tool-json');
    await write('{"a": 20, "b": 22}');
    await w.page.locator('.codelens-decoration a', { hasText: 'Run Get Sum Tool' }).click();
    await resultOf(w, 'The sum of 20 and 22 is 42');
    await w.wb.tab('get-sum arguments.json').waitFor({ state: 'detached' });
  });

  it('repeat the last run', async () => {
    const before = await w.host.eval(vscode => vscode.window.activeTextEditor?.document.uri.toString());
    await w.wb.command('MCP Host: Run Tool Again…');
    await w.wb.pickRow(w.wb.quickInput.locator('.monaco-list-row', { hasText: 'Run again' }));
    await w.host.until((vscode, first) => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document?.uri.toString() !== first && document?.getText().includes('The sum of 20 and 22 is 42');
    }, before);
  });

  it('show the progress of a slow call, and cancel it', async () => {
    await start('trigger-long-running-operation');
    await atStep('· duration');
    // Long enough for a machine on which each step of this test takes long.
    await w.wb.input('300');
    await atStep('· steps');
    await w.wb.input('600');
    const notification = await w.wb.notification('Running Trigger Long Running Operation Tool on everything');
    await notification.filter({ hasText: /[1-9]\d* of 600/ }).waitFor();
    await w.picture('tool-progress');
    await notification.getByRole('button', { name: 'Cancel' }).click();
    await w.page.locator('.statusbar-item', { hasText: 'Cancelled Trigger' }).waitFor();
    await w.wb.notifications.first().waitFor({ state: 'detached' });
  });
});
