import * as assert from 'node:assert/strict';
import { eventually } from '../drivers/dom';
import { resultOf } from '../drivers/toolPage';
import { openWorkbench, type Workbench } from '../drivers/workbench';
import { waitFor } from '../servers/spawn';

describe('running a prompt', () => {
  let w: Workbench;
  before(async () => {
    w = await openWorkbench();
    const status = w.wb.status('mcp-host.mcp-host.mcpHost.status');
    await status.and(w.page.locator('[aria-label*="2 ready"]')).waitFor();
    await w.host.command('workbench.action.chat.open');
    await w.wb.chat.pickModel('Demo Model');
  });
  after(() => w?.close());

  /** In chat, which asks for its arguments. */
  const run = (prompt: string) => w.wb.chat.send(`@mcp /${prompt} `);
  const answered = (text: RegExp) => w.wb.chat.locator.getByText(text).last().waitFor();
  const title = (text: string) => w.wb.quickInput.locator('.quick-input-title', { hasText: text }).waitFor();
  const input = () => w.wb.quickInput.locator('.quick-input-box input');
  const type = (text: string, label: string) => w.wb.search(text, w.wb.quickRow(label));
  const rowsWith = (...labels: string[]) => w.wb.quickRowsWith(...labels);
  /** The input without a list, once it says this. */
  const plainInput = (message: string) =>
    w.wb.quickInput.locator('.quick-input-message', { hasText: message }).waitFor();
  const back = () => w.wb.quickInput.getByRole('button', { name: /^Back/ }).click();

  it('suggests values, which depend on earlier arguments', async () => {
    await run('completable-prompt');
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

  it('runs with what was chosen', async () => {
    await w.wb.pick('Bob');
    await answered(/Please promote Bob to the head of the Engineering team/);
    await w.picture('prompt-answered');
  });

  it('is cancelled by Escape without running anything', async () => {
    await run('completable-prompt');
    await rowsWith('Engineering', 'Sales');
    await w.wb.dismiss();
    await eventually(async () => assert.equal(await w.wb.notifications.count(), 0));
  });

  it('accepts a typed value that the server does not suggest', async () => {
    await run('completable-prompt');
    await rowsWith('Sales');
    await type('Sal', 'Use "Sal"');
    await w.wb.pick('Use "Sal"');
    await title(': name');
    await plainInput('Choose a team member');
    await w.wb.input('$(trash) Zoë');
    await answered(/Please promote \$\(trash\) Zoë to the head of the Sal team/);
  });

  it('uses a plain input where the server offers no completion, and insists on required values', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    await run('args-prompt');
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
    await answered(/weather in Paris/);
  });

  it('offers the selection and the open file', async () => {
    await w.host.eval(async vscode => {
      const document = await vscode.workspace.openTextDocument({ content: 'one\ntwo\nthree' });
      const editor = await vscode.window.showTextDocument(document);
      editor.selection = new vscode.Selection(0, 0, 1, 3);
    });
    await run('args-prompt');
    await rowsWith('Selection (2 lines)', 'Text of the open file');
    await w.picture('prompt-choices');
    await w.wb.pick('Selection (2 lines)');
    await title(': state');
    await w.wb.pick('Leave empty');
    await answered(/weather in one/);
    await w.host.eval(async vscode => {
      const [document] = vscode.workspace.textDocuments.filter(({ isUntitled }) => isUntitled);
      if (document) await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });
  });

  it('shows text that looks like an icon as text', async () => {
    await run('completable-prompt');
    await rowsWith('Sales');
    const row = w.wb.quickInput.locator('.monaco-list-row');
    await w.wb.search('$(trash)', row.filter({ has: w.page.locator('.label-name', { hasText: '$(trash)' }) }));
    await w.wb.dismiss();
  });

  it('from the palette opens its page, which names the server that failed to provide it, and the reason', async () => {
    await w.host.command('workbench.action.closeAllEditors');
    await w.wb.command('MCP Host: Run Prompt…');
    await w.wb.pick('Resource Prompt');
    await w.wb.webview().locator('#field-0').fill('Neither');
    await w.wb.webview().locator('#field-1').fill('1');
    await w.wb.webview().locator('#field-1').press('Enter');
    await resultOf(w, 'MCP server "everything" could not get the prompt resource-prompt');
    await w.picture('prompt-failed');
  });
});
