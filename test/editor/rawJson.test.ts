import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { RawJson } from '../../src/features/tools/rawJson';
import { waitFor } from '../servers/spawn';
import { closeEditors } from './window';

const SCHEME = 'mcp-test-json';
const RUN = `mcpHost.${SCHEME}.run`;

describe('values edited as JSON', () => {
  const json = new RawJson(SCHEME);
  after(() => json.dispose());
  // The newest notification is answered, so there must be no other.
  beforeEach(() => vscode.commands.executeCommand('notifications.clearAll'));
  afterEach(closeEditors);

  const tabs = () =>
    vscode.window.tabGroups.all
      .flatMap(group => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === SCHEME);
  async function edit(token?: vscode.CancellationToken, schema = {}) {
    const isActive = () => vscode.window.activeTextEditor?.document.uri.scheme === SCHEME;
    await waitFor(() => !isActive() && tabs().length === 0, { what: 'the editors of other tests to be closed' });
    const state: { answer?: { value: unknown } | undefined; done: boolean } = { done: false };
    void json.edit({ name: 'value', schema, value: { a: 1 }, action: 'Use', token }).then(answer => {
      state.answer = answer;
      state.done = true;
    });
    await waitFor(() => isActive() && tabs().length === 1, { what: 'the editor' });
    return { state, document: vscode.window.activeTextEditor!.document };
  }
  async function write(document: vscode.TextDocument, text: string): Promise<void> {
    const all = new vscode.WorkspaceEdit();
    all.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    assert.ok(await vscode.workspace.applyEdit(all));
  }

  /** Resolves when what was typed counts as saved, so that closing asks nothing. */
  const kept = (document: vscode.TextDocument) =>
    waitFor(() => !document.isDirty, { what: 'what was typed to be kept' });

  it('are those at the moment of sending, not those of an earlier question', async () => {
    const { state, document } = await edit(undefined, { type: 'object', required: ['b'] });
    const run = vscode.commands.executeCommand(RUN, String(document.uri));
    await write(document, '{ "a": 2, "b": 3 }');
    await waitFor(
      async () => {
        await vscode.commands.executeCommand('notification.acceptPrimaryAction');
        return state.done;
      },
      { what: 'the value' },
    );
    await run;
    assert.deepEqual(state.answer, { value: { a: 2, b: 3 } });
  });

  it('stay open when their tab moves or one of two closes, and are discarded with the last', async () => {
    const { state, document } = await edit();
    await vscode.commands.executeCommand('workbench.action.moveEditorToNextGroup');
    await vscode.commands.executeCommand('workbench.action.splitEditorDown');
    await waitFor(() => tabs().length === 2, { what: 'the second tab' });
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await waitFor(() => tabs().length === 1, { what: 'one tab' });
    await write(document, '{ "a": 3 }');
    assert.equal(state.done, false);
    await kept(document);
    await vscode.window.tabGroups.close(tabs());
    await waitFor(() => state.done, { what: 'the value to be given up' });
    assert.equal(state.answer, undefined);
  });

  it('are sent when the person saves them, not when auto-saved', async () => {
    const { state, document } = await edit();
    await write(document, '{ "a": 4 }');
    await kept(document);
    assert.equal(state.done, false);
    await vscode.commands.executeCommand('workbench.action.files.save');
    await waitFor(() => state.done, { what: 'the value' });
    assert.deepEqual(state.answer, { value: { a: 4 } });
  });

  it('stay open when the saved text is not JSON', async () => {
    const { state, document } = await edit();
    await write(document, '{ "a": ');
    await kept(document);
    await vscode.commands.executeCommand('workbench.action.files.save');
    await write(document, '{ "a": 5 }');
    await kept(document);
    assert.equal(state.done, false);
    await vscode.commands.executeCommand('workbench.action.files.save');
    await waitFor(() => state.done, { what: 'the value' });
    assert.deepEqual(state.answer, { value: { a: 5 } });
  });

  it('are discarded without a question, whatever was typed', async () => {
    const { state, document } = await edit();
    await write(document, '{ "a": 6 }');
    await kept(document);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    await waitFor(() => state.done && tabs().length === 0, { what: 'the value to be given up' });
    assert.equal(state.answer, undefined);
  });

  it('are completed and explained from their schema, as text', async () => {
    const properties = {
      a: { type: 'integer', description: 'How *many*', minimum: 1 },
      unit: { enum: ['celsius', 'kelvin'] },
      '$(trash) x': { type: 'string' },
    };
    const { document } = await edit(undefined, { type: 'object', properties, required: ['unit'] });
    await write(document, '{ "a": 1,  }');
    const at = (text: string) => document.positionAt(document.getText().indexOf(text) + text.length);
    const complete = async (place: vscode.Position) => {
      const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        place,
      );
      return items.filter(({ sortText }) => sortText?.startsWith('!'));
    };
    const names = await complete(at('1, '));
    assert.deepEqual(
      names.map(({ label }) => (typeof label === 'string' ? label : label.label)),
      ['unit', '$(trash) x'],
    );
    assert.equal((names[0]!.insertText as vscode.SnippetString).value, '"unit": ${1:"celsius"}');
    await write(document, '{ "a": 1, "unit":  }');
    const values = await complete(at('"unit": '));
    assert.deepEqual(
      values.map(({ insertText }) => insertText),
      ['"celsius"', '"kelvin"'],
    );
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      at('{ "a'),
    );
    const texts = hovers.flatMap(({ contents }) => contents.map(content => (content as vscode.MarkdownString).value));
    assert.ok(
      texts.some(text => /How &#42;many&#42;[\s\S]*whole number/.test(text)),
      texts.join(),
    );
  });

  it('are discarded when no caller waits any more, even before they are shown', async () => {
    const source = new vscode.CancellationTokenSource();
    const { state } = await edit(source.token);
    source.cancel();
    await waitFor(() => state.done && tabs().length === 0, { what: 'the editor to close' });
    assert.equal(state.answer, undefined);
    const request = { name: 'late', schema: {}, value: 1, action: 'Use', token: source.token };
    assert.equal(await json.edit(request), undefined);
    await waitFor(() => tabs().length === 0, { what: 'no editor' });
  });
});
