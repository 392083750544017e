import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { CallQuestion } from '../../src/editor/trust/callQuestion';
import type { ServerConnection } from '../../src/host';
import type { PersonsAnswer } from '../../src/host/toolCalls';
import { waitFor } from '../servers/spawn';

describe('questions about calls from elsewhere', () => {
  const question = new CallQuestion();
  const server = { id: 'asks' } as ServerConnection;
  afterEach(() => {
    mock.restoreAll();
    return vscode.commands.executeCommand('notifications.clearAll');
  });
  after(() => question.dispose());

  function ask(text: string) {
    const state: { answer?: PersonsAnswer | undefined; done: boolean } = { done: false };
    const tool = { name: 'write', inputSchema: { type: 'object' as const } };
    void question.ask({ server, tool, args: { text }, origin: 'languageModelTool' }, 'accepted').then(answer => {
      state.answer = answer;
      state.done = true;
    });
    return state;
  }
  const open = () =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === 'mcp-call')
      .map(({ label }) => label)
      .sort();

  it('with long arguments show each a document of its own, and are answered by their own buttons', async () => {
    const shown = mock.method(vscode.window, 'showWarningMessage');
    const first = ask(`${'a'.repeat(5_000)} one`);
    await waitFor(() => open().length === 1, { what: 'the first document' });
    const second = ask(`${'a'.repeat(5_000)} two`);
    await waitFor(() => open().length === 2, { what: 'the second document' });
    assert.deepEqual(open(), ['write 1.json', 'write 2.json']);
    const { document } = vscode.window.activeTextEditor!;
    assert.match(document.getText(), /a two"/);

    await waitFor(() => shown.mock.callCount() === 2, { what: 'the second question' });
    await vscode.commands.executeCommand('notification.acceptPrimaryAction');
    await waitFor(() => second.done && open().length === 1, { what: 'the answer, and its document to close' });
    assert.deepEqual([second.answer, first.done, open()], [{ answer: 'allow' }, false, ['write 1.json']]);
    await vscode.commands.executeCommand('notifications.clearAll');
    await waitFor(() => first.done && open().length === 0, { what: 'the first to be closed' });
    assert.equal(first.answer, undefined);
  });
});
