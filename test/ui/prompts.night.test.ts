import * as assert from 'node:assert/strict';
import { waitFor } from '../servers/spawn';
import { eventually } from '../setup/dom';
import { openWorkbench, type Workbench } from '../setup/workbench';

describe('running a prompt without chat', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
    const status = w.wb.status('mcp-host.mcp-host.mcpHost.status');
    await status.and(w.page.locator('[aria-label*="2 ready"]')).waitFor();
  });
  after(() => w?.close());

  const run = async (prompt: string) => {
    await w.wb.command('MCP Host: Run Prompt…');
    await w.wb.pick(prompt);
  };
  const title = (text: string) => w.wb.quickInput.locator('.quick-input-title', { hasText: text }).waitFor();
  const input = () => w.wb.quickInput.locator('.quick-input-box input');
  const type = (text: string, label: string) => w.wb.search(text, w.wb.quickRow(label));
  const rowsWith = (...labels: string[]) => w.wb.quickRowsWith(...labels);
  /** The input without a list, once it says this. */
  const plainInput = (message: string) =>
    w.wb.quickInput.locator('.quick-input-message', { hasText: message }).waitFor();
  const back = () => w.wb.quickInput.getByRole('button', { name: /^Back/ }).click();

  it('suggests values, which depend on earlier arguments', async () => {
    await run('Team Management');
    await title('Team Management (everything): department');
    await rowsWith('Engineering', 'Sales', 'Marketing', 'Support');
    await w.picture('prompt-first-argument');
    await w.wb.pick('Sales');
    await title('Team Management (everything): name');
    await rowsWith('David', 'Eve', 'Frank');
    await w.picture('prompt-dependent-argument');
  });

  it('goes back, keeps what was chosen, and suggests anew', async () => {
    await back();
    await title(': department');
    await rowsWith('Sales, Current value', 'Engineering');
    await type('E', 'Use "E"');
    await eventually(async () => {
      const rows = await rowsWith('Engineering', 'Use "E"');
      assert.equal(rows[0], 'Engineering');
      assert.equal(rows.at(-1), 'Use "E"');
    });
    await w.picture('prompt-typed-argument');
    await w.wb.pick('Engineering');
    await title(': name');
    await eventually(async () => {
      const names = await rowsWith('Alice', 'Bob', 'Charlie');
      assert.ok(!names.some(row => row.startsWith('David')), names.join());
    });
  });

  it('shows the result in a readable document', async () => {
    await w.wb.pick('Bob');
    await rowsWith('Open in an editor', 'Send to chat', 'Copy');
    await w.picture('prompt-actions');
    await w.wb.pick('Open in an editor');
    await w.wb.tab('completable-prompt.md').waitFor();
    const text = await w.host.until(vscode => {
      const shown = vscode.window.activeTextEditor?.document.getText();
      return shown?.includes('Please promote') && shown;
    });
    assert.match(text || '', /## 1\. User\n\nPlease promote Bob to the head of the Engineering team\./);
    await w.picture('prompt-document');
  });

  it('offers the arguments used last', async () => {
    await run('Team Management');
    await rowsWith('Engineering, Current value', 'Sales');
  });

  it('is cancelled by Escape without running anything', async () => {
    await w.wb.dismiss();
    await eventually(async () => assert.equal(await w.wb.notifications.count(), 0));
  });

  it('accepts a typed value that the server does not suggest', async () => {
    await run('Team Management');
    await rowsWith('Sales');
    await type('Sal', 'Use "Sal"');
    await w.wb.pick('Use "Sal"');
    await title(': name');
    await plainInput('Choose a team member');
    await w.wb.input('$(trash) Zoë');
    await w.wb.pick('Copy');
    const copied = await w.host.until(async vscode => {
      const text = await vscode.env.clipboard.readText();
      return text.includes('Zoë') && text;
    });
    assert.equal(copied, 'Please promote $(trash) Zoë to the head of the Sal team.');
  });

  it('uses a plain input where the server offers no completion, and insists on required values', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    await run('Arguments Prompt');
    await title(': city');
    await plainInput('Name of the city (required)');
    await input().press('Enter');
    await plainInput('"city" is required');
    await w.picture('prompt-required');
    await w.wb.input('Paris');
    await title(': state');
    await plainInput('state (optional)');
    await back();
    await title(': city');
    await waitFor(async () => (await input().inputValue()) === 'Paris', { what: 'the city' });
    await input().press('Enter');
    await title(': state');
    await plainInput('state (optional)');
    await input().press('Enter');
    await rowsWith('Open in an editor');
    await w.wb.dismiss();
  });

  it('offers the selection and the open file', async () => {
    await w.host.eval(async vscode => {
      const document = await vscode.workspace.openTextDocument({ content: 'one\ntwo\nthree' });
      const editor = await vscode.window.showTextDocument(document);
      editor.selection = new vscode.Selection(0, 0, 1, 3);
    });
    await run('Arguments Prompt');
    await rowsWith('Selection (2 lines)', 'Text of the open file');
    await w.picture('prompt-choices');
    await w.wb.pick('Selection (2 lines)');
    await title(': state');
    await w.wb.pick('Leave empty');
    await w.wb.pick('Copy');
    const copied = await w.host.until(async vscode => {
      const text = await vscode.env.clipboard.readText();
      return text.includes('one') && text;
    });
    assert.equal(copied, "What's weather in one\ntwo?");
  });

  it('shows text that looks like an icon as text', async () => {
    await run('Team Management');
    await rowsWith('Sales');
    const row = w.wb.quickInput.locator('.monaco-list-row');
    await w.wb.search('$(trash)', row.filter({ has: w.page.locator('.label-name', { hasText: '$(trash)' }) }));
    await w.wb.dismiss();
  });

  it('sends the prompt with its arguments to chat', async () => {
    await run('Team Management');
    await w.wb.pick('Sales');
    await w.wb.pick('Eve');
    await w.wb.pick('Send to chat');
    const request = w.page.locator('.interactive-request', { hasText: 'department="Sales" name="Eve"' });
    await request.first().waitFor();
    await w.picture('prompt-sent-to-chat');
  });

  it('names the server that failed to provide a prompt, and the reason', async () => {
    await run('Resource Prompt');
    await rowsWith('Text', 'Blob');
    await type('Neither', 'Use "Neither"');
    await w.wb.pick('Use "Neither"');
    await title(': resourceId');
    await type('1', '1');
    await w.wb.pick('1');
    const notification = await w.wb.notification('MCP server "everything" could not get the prompt resource-prompt');
    await eventually(async () => assert.match(await notification.innerText(), /Invalid resourceType/));
    await title(': resourceType');
    await rowsWith('Neither, Current value', 'Text', 'Blob');
    await w.picture('prompt-failed');
    await w.wb.pick('Text');
    await title(': resourceId');
    await rowsWith('1, Current value');
    await w.wb.pick('1');
    await rowsWith('Open in an editor');
    await w.wb.dismiss();
  });
});
