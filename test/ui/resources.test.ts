import * as assert from 'node:assert/strict';
import { eventually } from '../setup/dom';
import { openWorkbench, type Workbench } from '../setup/workbench';

describe('the Resources view', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
    await w.wb.viewContainer('MCP');
    // Both: a row that comes later moves the others.
    for (const server of ['notebook', 'everything']) await w.wb.tree('Resources').row(server).waitFor();
  });
  after(() => w?.close());

  it('shows resources in folders made from their URIs', async () => {
    const tree = w.wb.tree('Resources');
    await tree.expand('notebook');
    await tree.row('Templates').waitFor();
    await tree.expand('archive');
    const outline = await tree.outline();
    assert.ok(outline.includes('    2026/01'), outline.join('\n'));
    await tree.toggle('archive');
  });

  it('opens text with its language', async () => {
    await w.wb.tree('Resources').row('Read me first').click();
    await w.wb.tab('readme.md').waitFor();
    const language = await w.host.until(vscode => vscode.window.activeTextEditor?.document.languageId);
    assert.equal(language, 'markdown');
    await w.picture('resources-tree');
  });

  it('opens JSON formatted, and nothing of it can be changed', async () => {
    await w.wb.tree('Resources').row('Project').click();
    await w.wb.tab('project.json').waitFor();
    const text = await w.host.until(vscode => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document?.languageId === 'json' ? document.getText() : undefined;
    });
    assert.match(text ?? '', /\n {2}"/);
    await w.page.keyboard.type('x');
    await eventually(async () =>
      assert.equal(await w.host.eval(vscode => vscode.window.activeTextEditor?.document.isDirty), false),
    );
  });

  it('opens an image in the preview', async () => {
    await w.wb.tree('Resources').row('Cover').click();
    await w.wb.tab('cover.png').waitFor();
    await w.wb.webview().locator('img').waitFor();
    await w.picture('resource-image');
  });

  it('brings back what was open when the window is loaded again', async () => {
    await w.reload();
    await w.wb.tab('cover.png').waitFor();
    await w.wb.tab('readme.md').click();
    await w.page.locator('.editor-instance .view-line', { hasText: 'otebook' }).first().waitFor();
  });
});
