import * as assert from 'node:assert/strict';
import { attemptMs, eventually, persist, soon } from '../drivers/dom';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';

describe('resource templates and search', () => {
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
  const variable = (name: string) => w.wb.webview().getByRole('combobox', { name: new RegExp(`^${name} `) });

  it('fill in a template on its page, and open the resource as a file', async () => {
    await tree().expand('notebook');
    await tree().expand('Templates');
    await w.wb.chooseInContextMenu(tree().row('Archive month'), 'Open from Template…');
    await w.wb.tab('Archive month').waitFor();
    await variable('year').fill('2025');
    await variable('month').fill('11');
    await w.wb.webview().locator('.uri', { hasText: 'notebook:///archive/2025/11' }).waitFor();
    await w.picture('template-page');
    await w.wb.webview().getByRole('button', { name: 'Open as File' }).click();
    await w.wb.tab('11.md.mcp').waitFor();
  });

  it('keep opened resources under their template, and the values for next time', async () => {
    await tree().row('2025/11').waitFor();
    await w.picture('tree-with-templates-and-recents');
    await w.host.command('workbench.action.closeAllEditors');
    await w.wb.command('MCP Host: Open from Template…');
    await w.wb.pick('Archive month');
    await w.wb.webview().locator('.uri', { hasText: 'notebook:///archive/2025/11' }).waitFor();
    await eventually(async () => assert.equal(await variable('year').inputValue(), '2025'));
    await w.host.command('workbench.action.closeActiveEditor');
  });

  it('find resources of all servers by some of their letters, and open them or any other URI', async () => {
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
    await w.wb.tab('readme.md.mcp').waitFor();

    await w.wb.command('MCP Host: Find Resource…');
    await title('Find Resource');
    await w.wb.searchAndPick('notebook:///archive/2025/02', /Read notebook:/);
    await w.wb.pick('notebook');
    await w.wb.tab('02.md.mcp').waitFor();
  });

  it('add a resource to chat @resourceActions.add-resource-chat', async () => {
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

  it('reopens resources when the window is reloaded @resourceActions.reopens-resources-window', async () => {
    await tree().open('Read me first', w.wb.tab('readme.md.mcp'));
    await tree().open('Cover', w.wb.tab('cover.png'));
    await w.reload();
    await w.wb.tab('cover.png').waitFor();
    await w.wb.tab('readme.md.mcp').click();
    await w.page.locator('.editor-instance .view-line', { hasText: 'otebook' }).first().waitFor();
  });
});
