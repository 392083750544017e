import * as assert from 'node:assert/strict';
import { waitFor } from '../servers/spawn';
import { attemptMs, clickInRow, eventually, persist, soon } from '../setup/dom';
import { openWorkbench, type Workbench } from '../setup/workbench';

describe('resource templates, search and comparison', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
    await w.wb.viewContainer('MCP');
    // Both: a row that comes later moves the others.
    for (const server of ['notebook', 'everything']) await tree().row(server).waitFor();
  });
  after(() => w?.close());

  const tree = () => w.wb.tree('Resources');
  const input = () => w.wb.quickInput.locator('.quick-input-box input');
  const title = (text: string) => w.wb.quickInput.locator('.quick-input-title', { hasText: text }).waitFor();
  const rowsWith = (...labels: string[]) => w.wb.quickRowsWith(...labels);

  it('ask for the variables of a template, each with suggestions that depend on the ones before', async () => {
    await tree().expand('notebook');
    await tree().expand('Templates');
    await w.wb.chooseInContextMenu(tree().row('Archive month'), 'Open from Template…');
    await title('Archive month (notebook): year');
    await rowsWith('2024', '2025', '2026');
    await w.picture('template-first-variable');
    await w.wb.pick('2026');
    await title('Archive month (notebook): month');
    await eventually(async () => {
      const months = await rowsWith('01');
      assert.ok(!months.some(row => row.startsWith('02')), months.join());
    });
    await w.wb.quickInput.getByRole('button', { name: /^Back/ }).click();
    await title(': year');
    await w.wb.pick('2025');
    await title(': month');
    await rowsWith('01', '12');
    await input().fill('1');
    await eventually(async () => {
      const rows = await rowsWith('10', '11', '12', 'Use "1"');
      assert.match(rows.at(-1) ?? '', /^Use "1", .*notebook:\/\/\/archive\/2025\/1$/);
    });
    await w.picture('template-second-variable');
    await input().fill('11');
    await waitFor(async () => /^11, .*archive\/2025\/11$/.test((await w.wb.quickRows())[0] ?? ''), {
      what: '11 first',
    });
    await w.wb.accept();
    await w.wb.tab('11.md').waitFor();
  });

  it('keep opened resources under their template, and the values for next time', async () => {
    await tree().row('2025/11').waitFor();
    await w.picture('tree-with-templates-and-recents');
    await w.wb.chooseInContextMenu(tree().row('Archive month'), 'Open from Template…');
    await rowsWith('2025, Current value', '2024');
    await w.wb.dismiss();
    // A click opens its page, which has them too.
    await tree().open('Archive month', w.wb.tab('Archive month'));
    await w.wb.webview().locator('.uri', { hasText: 'notebook:///archive/2025/11' }).waitFor();
    await eventually(async () =>
      assert.equal(
        await w.wb
          .webview()
          .getByRole('combobox', { name: /^year / })
          .inputValue(),
        '2025',
      ),
    );
    await w.host.command('workbench.action.closeActiveEditor');
    await tree().action('2025/11', 'Remove from Recent');
    await tree().row('2025/11').waitFor({ state: 'detached' });
  });

  it('find resources of all servers by some of their letters, open and reveal them', async () => {
    await tree().collapse('Templates');
    await w.wb.command('MCP Host: Find Resource…');
    await title('Find Resource');
    await input().fill('2024 letter');
    await waitFor(async () => (await w.wb.quickRows()).length > 5, { what: 'rows' });
    await w.picture('find-resource');
    await input().fill('readfirst');
    await waitFor(async () => (await w.wb.quickRows())[0]?.startsWith('Read me first,'), {
      what: 'the file to be first',
    });
    await w.wb.accept();
    await w.wb.tab('readme.md').waitFor();

    await w.wb.command('MCP Host: Find Resource…');
    await title('Find Resource');
    const row = w.wb.quickInput.locator('.monaco-list-row[data-index="0"][aria-label*="2025/01"]');
    await w.wb.search('entry-0001 2025/01', row);
    await clickInRow(row, 'Reveal in Resources View');
    const selected = tree().locator.locator('[role=treeitem][aria-selected=true]');
    await selected.filter({ hasText: '2025-01-01' }).waitFor();
    await w.picture('resource-revealed');
  });

  it('sort by priority, and remember it', async () => {
    await w.host.command('workbench.actions.treeView.mcpHost.resources.collapseAll');
    await tree().expand('notebook');
    await tree().row('Cover').waitFor();
    await w.wb.command('MCP Host: Sort Resources By…');
    await w.wb.pick('Priority');
    const top = async (label: string) => (await tree().row(label).boundingBox())?.y ?? 0;
    await waitFor(async () => (await top('Read me first')) < (await top('Cover')), {
      what: 'most important first',
    });
    await w.picture('resources-by-priority');
  });

  it('compare a resource with another', async () => {
    await w.wb.chooseInContextMenu(tree().row('Read me first').first(), 'Compare with…');
    await w.wb.pick('Another resource…');
    await title('Compare With');
    await input().fill('project.json');
    await waitFor(async () => (await w.wb.quickRows())[0]?.startsWith('Project,'), { what: 'Project to be first' });
    await w.wb.accept();
    await w.wb.tab('readme.md (notebook) ↔ project.json (notebook)').waitFor();
    await w.page.locator('.monaco-diff-editor .view-line', { hasText: 'Notebook' }).first().waitFor();
    await w.picture('compare-resources');
  });

  it('add a resource to chat', async () => {
    await w.wb.chooseInContextMenu(tree().row('Read me first').first(), 'Add to Chat');
    await w.page.locator('.chat-attached-context-attachment:not(.implicit)', { hasText: 'readme.md' }).waitFor();
    await w.picture('resource-in-chat');
  });

  it('allow dragging a resource into chat', async () => {
    const attached = w.page.locator('.chat-attached-context-attachment:not(.implicit)', { hasText: 'project.json' });
    await persist(async () => {
      const input = w.page.locator('.interactive-input-part').first();
      await tree().row('Project').first().dragTo(input, { timeout: attemptMs });
      await attached.waitFor({ timeout: attemptMs });
    }, 'the resource to be attached');
  });

  it('allow dragging a resource into text as a link', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    await w.host.eval(async vscode => {
      const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: 'Drop here: \n' });
      await vscode.window.showTextDocument(document, { preview: false });
    });
    const line = w.page.locator('.monaco-editor .view-line', { hasText: 'Drop here' }).first();
    await line.waitFor();
    const text = () => w.host.eval(vscode => vscode.window.activeTextEditor?.document.getText() ?? '');
    const drag = async () => {
      await tree().row('Project').first().hover();
      await w.page.mouse.down();
      try {
        await line.hover();
        await w.page.keyboard.down('Shift');
        await line.hover({ force: true });
        await w.page.mouse.move((await line.boundingBox())!.x + 60, (await line.boundingBox())!.y + 8, { steps: 5 });
      } finally {
        await w.page.mouse.up();
        await w.page.keyboard.up('Shift');
      }
      await soon(async () => /\[Project\]\(mcp:\/\/notebook\//.test(await text()), 'the link in the text');
    };
    await persist(drag, 'the link in the text');
    await w.picture('resource-dropped');
  });
});
