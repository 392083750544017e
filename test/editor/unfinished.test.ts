import * as assert from 'node:assert/strict';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import { answering, tellUnfinished } from '../../src/features/chat/unfinished';
import { waitFor } from '../servers/spawn';

/** The storage of a workspace, which outlives its windows. */
function storage(): vscode.Memento {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => void values.set(key, value),
  } as vscode.Memento;
}

describe('answers that a reload interrupts', () => {
  const asked = { command: undefined, prompt: 'count my notes' };
  const { token } = new vscode.CancellationTokenSource();
  afterEach(() => mock.restoreAll());

  const told = (choice?: string) =>
    mock.method(vscode.window, 'showInformationMessage', async () => choice as unknown as undefined).mock;

  it('are named in the next window, once @unfinished.named-next-window', async () => {
    const state = storage();
    void answering(state, asked, token, () => new Promise(() => undefined));
    const shown = told();
    await tellUnfinished(state, false);
    assert.match(
      String(shown.calls[0]?.arguments[0]),
      /^Interrupted by a reload: the answer to "@mcp count my notes"\. A tool .* may have been run all the same/,
    );
    await tellUnfinished(state, false);
    assert.equal(shown.callCount(), 1);
  });

  it('are named with the task that goes on without them', async () => {
    const state = storage();
    void answering(state, asked, token, () => new Promise(() => undefined));
    const shown = told();
    await tellUnfinished(state, true);
    assert.match(String(shown.calls[0]?.arguments[0]), /notes"\. Its task goes on, with a row under "Running"\.$/);
  });

  it('are not those that have ended or failed', async () => {
    const state = storage();
    assert.equal(await answering(state, asked, token, async () => 1), 1);
    await assert.rejects(answering(state, asked, token, () => Promise.reject(new Error('no model'))));
    const shown = told();
    await tellUnfinished(state, false);
    assert.equal(shown.callCount(), 0);
  });

  it('are asked again on request', async () => {
    const state = storage();
    void answering(state, { command: 'tools', prompt: 'notes' }, token, () => new Promise(() => undefined));
    told('Ask Again');
    const ran = mock.method(vscode.commands, 'executeCommand', async () => undefined).mock;
    await tellUnfinished(state, false);
    await waitFor(() => ran.callCount() === 1, { what: 'the question' });
    assert.deepEqual(ran.calls[0]?.arguments, ['workbench.action.chat.open', { query: '@mcp /tools notes' }]);
  });
});
