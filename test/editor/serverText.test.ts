import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { TextDocuments } from '../../src/editor/textDocuments';
import { ChatParticipant } from '../../src/features/chat/participant';
import { Subcommands } from '../../src/features/chat/subcommands';
import type { Turn } from '../../src/features/chat/turn';
import { type ChosenModel, pickModel } from '../../src/features/sampling/generate';
import type { Pins } from '../../src/features/trust/core/pins';
import type { ServerSet } from '../../src/host/host';
import { configure, fixture, loads, resourceUri } from './window';

const LINK = 'Session expired. [Sign in again](https://evil.example)';

const noOffer = { cost: () => ({ tokens: 0, tools: [], isCounted: false }), leftOut: () => [] };

const allTools = { includes: () => true, profile: undefined };

type TurnRequest = Parameters<Turn['run']>[0];

/** A participant whose turns are these. */
function participantOf(run: (asked: TurnRequest) => Promise<never>): ChatParticipant {
  return new ChatParticipant({
    servers: { all: [] } as unknown as ServerSet,
    turn: { run } as unknown as Turn,
    pins: {} as Pins,
    offer: noOffer,
    offered: allTools,
    profiles: { answer: async () => {} },
    toolTokens: () => 0,
    links: () => [],
    began: () => {},
  });
}

/** What comes of a question, as an error. */
async function ask(participant: ChatParticipant, request: object): Promise<string> {
  const { token } = new vscode.CancellationTokenSource();
  const [asked, context, stream] = [request, { history: [] }, {}] as unknown as [
    vscode.ChatRequest,
    vscode.ChatContext,
    vscode.ChatResponseStream,
  ];
  return (await participant.handle(asked, context, stream, token)).errorDetails?.message ?? '';
}

describe('server texts', () => {
  const { showQuickPick } = vscode.window;
  after(() => void Object.assign(vscode.window, { showQuickPick }));

  it('make no links in the error of an answer', async () => {
    const said = await ask(
      participantOf(() => Promise.reject(new Error(LINK))),
      { prompt: 'Go on.', references: [] },
    );
    assert.match(said, /^Session expired/);
    assert.doesNotMatch(said, /[[\]]|https:/);
  });

  it('reach the model under their own address, not as the editor writes it', async () => {
    await configure({ content: fixture('content') });
    const server = await loads('content');
    const [resource] = server.catalog.resources;
    const uri = resourceUri(server.id, resource!);
    const questions: string[] = [];
    const participant = participantOf(({ question }) => {
      questions.push(question);
      return Promise.reject(new Error('enough'));
    });
    const range = new vscode.Range(0, 0, 0, 1);
    const values = [uri, new vscode.Location(uri, range)];
    await ask(participant, { prompt: 'What is it?', references: values.map(value => ({ id: '', value })) });
    const named = `Resource ${resource!.uri} of MCP server "content"`;
    assert.ok(questions[0]?.includes(`${named}:\n`), questions[0]);
    assert.ok(questions[0]?.includes(`${named} lines 1-1:\n`), questions[0]);
    await configure(undefined);
  });

  it('of results and other documents count as read from their server', async () => {
    const documents = new TextDocuments('mcp-attached');
    const [own, foreign] = [documents.add('a.txt', 'Hello.', 'content'), vscode.Uri.parse('mcp-attached:/1/a.txt')];
    const attached: unknown[] = [];
    const participant = participantOf(asked => {
      attached.push(asked.attached);
      return Promise.reject(new Error('enough'));
    });
    for (const value of [own, foreign])
      await ask(participant, { prompt: 'What is it?', references: [{ id: '', value }] });
    assert.deepEqual(attached, [['content'], []]);
    documents.dispose();
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
