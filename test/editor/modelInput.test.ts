import * as assert from 'node:assert/strict';
import type { CallToolResult, GetPromptResult } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import { english } from '../../src/base/phrase';
import { fitToWindow } from '../../src/features/chat/core/fitToWindow';
import { boundRecord } from '../../src/features/chat/core/turnRecord';
import { historyTurns } from '../../src/features/chat/history';
import { canSendImages, toMessage } from '../../src/features/languageModel/content';
import { planPrompt, planToolResult } from '../../src/features/languageModel/core/contentPlan';
import { text, user } from '../../src/features/languageModel/core/modelMessage';
import { chequeredPng } from '../servers/content/png';

const { User, Assistant } = vscode.LanguageModelChatMessageRole;
const png = chequeredPng(16);
const image = { type: 'image', mimeType: 'image/png', data: png.toString('base64') } as const;

/** Newer than the types that this project is built with. */
interface DataPart {
  mimeType: string;
  data: Uint8Array;
}
const dataParts = (parts: readonly unknown[]) =>
  parts.filter((part): part is DataPart => typeof part === 'object' && part !== null && 'mimeType' in part);

describe('what a model receives', () => {
  it('of a tool result are parts of the editor, images as data where the editor has that', () => {
    const result: CallToolResult = { content: [{ type: 'text', text: 'a picture' }, image] };
    const planned = planToolResult(result, { images: canSendImages(), maxChars: 1000 });
    const { notes } = planned;
    const [made] = toMessage(user({ kind: 'result', id: 'c', parts: planned.parts })).content;
    assert.ok(made instanceof vscode.LanguageModelToolResultPart);
    const parts: readonly unknown[] = made.content;
    assert.ok(parts[0] instanceof vscode.LanguageModelTextPart);
    assert.equal(parts.length, 2);
    if (!canSendImages()) {
      assert.deepEqual(notes.map(english), [`[image image/png, ${png.length} B]`]);
      return;
    }
    const [picture] = dataParts(parts);
    assert.equal(picture?.mimeType, 'image/png');
    assert.deepEqual(Buffer.from(picture!.data), png);
    assert.deepEqual(notes, []);
  });

  it('of a prompt are messages in their roles, the pictures of the assistant too', () => {
    const prompt: GetPromptResult = {
      messages: [
        { role: 'user', content: { type: 'text', text: 'Look at this.' } },
        { role: 'user', content: image },
        { role: 'assistant', content: { type: 'text', text: 'I see.' } },
        { role: 'assistant', content: { type: 'resource', resource: { uri: 'x:/a', text: 'inside' } } },
      ],
    };
    const planned = planPrompt(prompt, { images: canSendImages(), maxChars: 1000 });
    const messages = planned.messages.map(toMessage);
    assert.deepEqual(
      messages.map(({ role }) => role),
      [User, User, Assistant, Assistant],
    );
    assert.ok(messages.every(message => message instanceof vscode.LanguageModelChatMessage));
    assert.equal(dataParts(messages[1]!.content).length, canSendImages() ? 1 : 0);
    assert.equal((messages[3]!.content[0] as vscode.LanguageModelTextPart).value, 'Resource x:/a:\ninside');
  });

  it('of earlier turns are calls with their results', async () => {
    const record = boundRecord({
      rounds: [
        { text: 'I look.', calls: [{ id: 'c', name: 's__a', input: { x: 1 } }], results: [{ id: 'c', text: 'found' }] },
        { text: 'There.', calls: [], results: [] },
      ],
    });
    const history = [
      { prompt: 'where?', command: undefined },
      { response: [new vscode.ChatResponseMarkdownPart('shown')], result: { metadata: { record } } },
      { prompt: 'and before?', command: undefined },
      { response: [new vscode.ChatResponseMarkdownPart('shown')], result: {} },
    ] as unknown as vscode.ChatContext['history'];
    const { messages } = await fitToWindow(
      { system: [], turns: historyTurns(history), request: [user(text('now?'))], rounds: [] },
      10_000,
    );
    const [, called, result, said, , before, asked] = messages.map(toMessage);
    const call = called!.content[1];
    assert.ok(called!.role === Assistant && call instanceof vscode.LanguageModelToolCallPart);
    assert.deepEqual(call.input, { x: 1 });
    const answer = result!.content[0];
    assert.ok(result!.role === User && answer instanceof vscode.LanguageModelToolResultPart);
    assert.equal(answer.callId, call.callId);
    assert.deepEqual(answer.content, [new vscode.LanguageModelTextPart('found')]);
    assert.deepEqual(said!.content, [new vscode.LanguageModelTextPart('There.')]);
    assert.deepEqual(before!.content, [new vscode.LanguageModelTextPart('shown')]);
    assert.equal(asked!.role, User);
  });
});
