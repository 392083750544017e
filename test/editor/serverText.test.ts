import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ChatParticipant } from '../../src/features/chat/participant';
import { Subcommands } from '../../src/features/chat/subcommands';
import type { Turn } from '../../src/features/chat/turn';
import { type ChosenModel, pickModel } from '../../src/features/sampling/generate';
import type { Pins } from '../../src/features/trust/core/pins';
import type { ServerSet } from '../../src/host/host';

const LINK = 'Session expired. [Sign in again](https://evil.example)';

const noOffer = { cost: () => ({ tokens: 0, tools: [], isCounted: false }), leftOut: () => [] };

const allTools = { includes: () => true, profile: undefined };

describe('server texts', () => {
  const { showQuickPick } = vscode.window;
  after(() => void Object.assign(vscode.window, { showQuickPick }));

  it('make no links in the error of an answer', async () => {
    const turn = { run: () => Promise.reject(new Error(LINK)) } as unknown as Turn;
    const servers = { all: [] } as unknown as ServerSet;
    const profiles = { answer: async () => {} };
    const participant = new ChatParticipant({
      servers,
      turn,
      pins: {} as Pins,
      offer: noOffer,
      offered: allTools,
      profiles,
      toolTokens: () => 0,
      links: () => [],
      began: () => {},
    });
    const request = { prompt: 'Go on.', references: [] } as unknown as vscode.ChatRequest;
    const { token } = new vscode.CancellationTokenSource();
    const stream = {} as vscode.ChatResponseStream;
    const result = await participant.handle(request, { history: [] } as unknown as vscode.ChatContext, stream, token);
    assert.match(result.errorDetails?.message ?? '', /^Session expired/);
    assert.doesNotMatch(result.errorDetails?.message ?? '', /[[\]]|https:/);
  });

  it('do not end the link that the editor makes for a resource', () => {
    const resources = [{ uri: 'x:/1', name: 'one', title: 'Notes](command:x) <b> `c` \\[d' }];
    const server = { id: 'mine', catalog: { resources } };
    const anchors: (string | undefined)[] = [];
    const stream = {
      anchor: (_: vscode.Uri, title?: string) => void anchors.push(title),
      markdown: () => {},
      button: () => {},
    } as unknown as vscode.ChatResponseStream;
    const servers = { all: [server] } as unknown as ServerSet;
    new Subcommands({
      servers,
      slashName: () => '',
      offer: noOffer,
      offered: allTools,
      toolTokens: () => 0,
      links: () => [],
    }).answer('resources', stream);
    assert.deepEqual(anchors, ['Notes(command:x) b c d']);
  });

  it('make no icons where the person chooses a model', async () => {
    const rows: vscode.QuickPickItem[] = [];
    const show = async (items: readonly vscode.QuickPickItem[]) => void rows.push(...items);
    Object.assign(vscode.window, { showQuickPick: show });
    const model = { id: 'a', name: 'A', vendor: 'b', family: 'c' } as vscode.LanguageModelChat;
    const hinted: ChosenModel = { model, why: 'the server hints at "claude $(verified) reviewed"' };
    await pickModel([hinted], model);
    assert.equal(rows[0]?.detail, 'the server hints at "claude \\$(verified) reviewed"');
  });
});
