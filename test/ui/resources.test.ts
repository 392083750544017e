import * as assert from 'node:assert/strict';
import { eventually } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';

describe('the Resources view', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
    await w.wb.viewContainer('MCP');
    // Both: a row that comes later moves the others.
    for (const server of ['notebook', 'everything']) await w.wb.tree('Resources').row(server).waitFor();
    await w.wb.tree('Resources').expand('notebook');
  });
  after(() => w?.close());

  it('shows resources in folders made from their URIs', async () => {
    const tree = w.wb.tree('Resources');
    await tree.row('Templates').waitFor();
    await tree.expand('archive');
    await eventually(async () => {
      const outline = await tree.outline();
      assert.ok(outline.includes('    2026/01'), outline.join('\n'));
    });
    await tree.collapse('archive');
  });

  it('opens text with its language', async () => {
    await w.wb.tree('Resources').open('Read me first', w.wb.tab('readme.md'));
    await w.host.until(vscode => vscode.window.activeTextEditor?.document.languageId === 'markdown');
    await w.picture('resources-tree');
  });

  it('opens JSON formatted and read-only', async () => {
    await w.wb.tree('Resources').open('Project', w.wb.tab('project.json'));
    const text = await w.host.until(vscode => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document?.languageId === 'json' ? document.getText() : undefined;
    });
    assert.match(text ?? '', /\n {2}"/);
    await w.page.locator('.editor-instance .view-line', { hasText: '"' }).first().click();
    await w.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await w.page.keyboard.type('x');
    await w.page.locator('.monaco-editor-overlaymessage', { hasText: 'read-only' }).waitFor();
    const after = await w.host.eval(vscode => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return [document?.isDirty, document?.getText()];
    });
    assert.deepEqual(after, [false, text]);
  });

  it('opens an image in the preview', async () => {
    await w.wb.tree('Resources').open('Cover', w.wb.tab('cover.png'));
    await w.wb.webview().locator('img').waitFor();
    await w.picture('resource-image');
  });

  it('reopens resources when the window is reloaded', async () => {
    await w.wb.tree('Resources').open('Read me first', w.wb.tab('readme.md'));
    await w.wb.tree('Resources').open('Cover', w.wb.tab('cover.png'));
    await w.reload();
    await w.wb.tab('cover.png').waitFor();
    await w.wb.tab('readme.md').click();
    await w.page.locator('.editor-instance .view-line', { hasText: 'otebook' }).first().waitFor();
  });
});
