import * as assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { mock } from 'node:test';
import * as vscode from 'vscode';
import type { InterfaceSnapshot } from '../../../src/features/authors/core';
import { waitFor } from '../../servers/spawn';
import { since } from '../../setup/since';
import { api, closeEditors, configure, fixture, loads, raw } from '../window';

const QUESTIONS = `questions:
  - { question: 'call echo {"text": "hello"}', expect: echo, arguments: { text: hello } }
  - { question: 'call echo {"text": "bye"}', expect: echo, arguments: { text: hello } }
  - { question: 'call block', expect: block }
  - { question: How are you?, expect: none }
`;

since('language models of extensions').describe('descriptions that are compared', () => {
  const folder = vscode.workspace.workspaceFolders![0]!.uri;
  const file = (name: string) => vscode.Uri.joinPath(folder, name);
  const [questions, snapshot] = [file('compared.mcpeval.yaml'), file('mcp.snapshot.json')];

  before(async () => {
    const { context } = await api();
    await configure({ compared: fixture('hostile', '--block-tool') });
    const server = await loads('compared');
    await waitFor(() => context.globalState.get('mcpHost.hasModels'), { what: 'the models' });
    const { tools } = server.catalog;
    const before: InterfaceSnapshot = {
      version: 1,
      tools: Object.fromEntries(
        tools.filter(({ name }) => name !== 'block').map(({ name, inputSchema }) => [name, { inputSchema }]),
      ),
      prompts: {},
      resourceTemplates: {},
    };
    writeFileSync(snapshot.fsPath, JSON.stringify(before));
    writeFileSync(questions.fsPath, QUESTIONS);
  });
  afterEach(() => mock.restoreAll());
  after(async () => {
    await closeEditors();
    for (const { fsPath } of [questions, snapshot]) rmSync(fsPath, { force: true });
    await configure(undefined);
  });

  /** Runs the command with the demo model, and answers what it asks. */
  async function compare(answer: string | undefined) {
    const server = (await api()).servers.get('compared')!;
    const [model] = await vscode.lm.selectChatModels({ id: 'demo-model' });
    const sent = mock.fn(model!.sendRequest.bind(model));
    const counting = Object.create(model!, { sendRequest: { value: sent } }) as vscode.LanguageModelChat;
    mock.method(vscode.lm, 'selectChatModels', async () => [counting]);
    const said: string[] = [];
    const tell = async (message: string, options?: vscode.MessageOptions) => {
      said.push(typeof options === 'object' ? `${message}\n${options.detail}` : message);
      return answer;
    };
    for (const name of ['showWarningMessage', 'showErrorMessage', 'showInformationMessage'] as const)
      mock.method(vscode.window, name, tell);
    const calls = mock.method(raw(server), 'callTool');
    await vscode.commands.executeCommand('mcpHost.checkServer', { server, way: 'compareDescriptions' });
    assert.equal(calls.mock.callCount(), 0);
    return { said, sent: sent.mock.callCount() };
  }

  it('are sent when the person agrees, and no tool is called @evals.sent-person-agrees', async () => {
    const refused = await compare(undefined);
    assert.equal(refused.sent, 0);
    assert.match(
      refused.said.join(),
      /^Send 8 requests to Demo Model \(demo\)\?\nQuestions: 4, each with the tools of "compared" .* That is about [\d,]+ tokens/,
    );
    mock.restoreAll();

    const { sent, said } = await compare('Send');
    assert.deepEqual([sent, said.slice(1)], [8, []]);
    const { document } = vscode.window.activeTextEditor!;
    assert.equal(document.languageId, 'markdown');
    const lines = document.getText().split('\n');
    assert.equal(lines[0], '# Tools of compared that Demo Model chooses');
    assert.equal(lines[2], '- Right tool: 3 of 4 → 4 of 4');
    assert.equal(lines[3], '- Right arguments: 1 of 2 → 1 of 2');
    assert.match(lines[4]!, /^- Tokens of the definitions in each request: [\d,]+ → [\d,]+$/);
    assert.deepEqual(
      lines.filter(line => /^\| (call block|How)/.test(line)),
      ['| call block | `block` | ✗ none | ✓ `block` | – | – |', '| How are you? | none | ✓ none | ✓ none | – | – |'],
    );
  });

  it('are not sent when the question file is invalid, or names an unknown tool', async () => {
    writeFileSync(questions.fsPath, QUESTIONS.replace('expect: block', 'expekt: block'));
    const wrong = await compare('Send');
    assert.equal(wrong.sent, 0);
    assert.match(wrong.said.join(), /^compared\.mcpeval\.yaml, line 4: ".*" is (missing|unknown here)/);
    mock.restoreAll();
    writeFileSync(questions.fsPath, QUESTIONS.replace('expect: block', 'expect: blocks'));
    const unknown = await compare('Send');
    assert.deepEqual(unknown, {
      sent: 0,
      said: ['compared.mcpeval.yaml, line 4: "compared" offers models no tool named "blocks".'],
    });
  });
});
