import vscode = require('vscode');

import { visible } from '../../base/text';
import type { ServerConnection, ServerSet } from '../../host';
import type { AppContext } from '../apps';
import { assistant, type CallPart, type ModelMessage, text, textOf, toMessage, user } from '../languageModel';
import type { Pins } from '../trust';
import { say } from './approval';
import { fitToWindow } from './core/fitToWindow';
import { systemText } from './core/systemText';
import { boundRecord, type ChatMetadata, type RoundRecord, type TurnRecord } from './core/turnRecord';
import { historyLinks, historyTurns, usedTools } from './history';
import { readTool } from './resourceReader';
import type { CallOutcome, ToolCaller } from './toolCaller';
import type { ToolOffer } from './toolOffer';

const { t } = vscode.l10n;
/** The same call made this often in one turn is a loop. */
const MAX_REPEATS = 3;

/** Settings `mcpHost.chat.…`. */
export interface TurnOptions {
  maxRounds: number;
  maxTools: number;
  maxTokens: number;
}

export interface TurnRequest {
  /** What is asked now: the question, or the messages of a prompt. */
  asked: readonly ModelMessage[];
  /** The question in words, for choosing the tools that fit it. */
  question: string;
  model: vscode.LanguageModelChat;
  history: vscode.ChatContext['history'];
  /** Key of the chat session. */
  chat: string;
  /** The server whose prompt this is. */
  promptServer?: ServerConnection;
}

/** One turn of `@mcp`: the model gets the tools and works in rounds until it is done, gives up or is stopped. */
export class Turn {
  constructor(
    private readonly servers: ServerSet,
    private readonly offer: ToolOffer,
    private readonly caller: ToolCaller,
    private readonly pins: Pins,
    private readonly options: () => TurnOptions,
    /** What open apps want the model to know; each is given once. */
    private readonly appContext: () => readonly AppContext[],
  ) {}

  async run(
    { asked, question, model, history, chat, promptServer }: TurnRequest,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const { maxRounds, maxTokens, maxTools } = this.options();
    await this.offer.refresh();
    const offer = await this.offer.forQuestion(question, maxTools, usedTools(history));
    for (const problem of offer.problems) say(stream, problem);
    const system = [user(text(this.#systemText()))];
    const turns = historyTurns(history);
    const contexts = this.appContext();
    for (const { server } of contexts)
      say(stream, t('Sent along: what the open app of MCP server "{0}" tells the model.', server));
    const told = contexts.map(({ server, text: said }) =>
      user(text(`The open app of MCP server "${server}" says: ${said}`)),
    );
    const withContext = [...told, ...asked];
    const rounds: ModelMessage[] = [];
    const records: RoundRecord[] = [];
    const used = new Set(promptServer ? [promptServer.id] : []);
    const repeats = new Map<string, number>();
    const linking = new Set(historyLinks(history));
    const apps: vscode.Command[] = [];
    let tokens = 0;
    const end = (why?: string): vscode.ChatResult => {
      if (why) say(stream, why);
      tellBlocked(stream, offer.blocked);
      for (const app of apps) stream.button(app);
      const request = promptServer && asked.map(({ role, parts }) => ({ role, text: textOf(parts.filter(isContent)) }));
      const record: TurnRecord = boundRecord({ ...(request && { request }), rounds: records });
      const linked = linking.size > 0 && { linking: [...linking] };
      return { metadata: { chat, servers: [...used], record, ...linked } satisfies ChatMetadata };
    };
    for (let round = 1; ; round++) {
      const fitted = await fitToWindow({ system, turns, request: withContext, rounds }, model.maxInputTokens, prompt =>
        model.countTokens(prompt, token),
      );
      if (!fitted.fits) {
        return end(
          t(
            'This is too long for {0}, which accepts {1} tokens. Choose a model with a larger context window, or ask for less.',
            model.name,
            model.maxInputTokens,
          ),
        );
      }
      tokens += fitted.tokens;
      if (tokens > maxTokens)
        return end(t('Stopped: the setting "mcpHost.chat.maxTokens" limits a question to {0} tokens.', maxTokens));
      const options: vscode.LanguageModelChatRequestOptions = { justification: t('To answer your question to @mcp') };
      const tools = linking.size > 0 ? [readTool(linking), ...offer.offered].slice(0, maxTools) : offer.offered;
      if (tools.length > 0) options.tools = [...tools];
      const response = await model.sendRequest(fitted.messages.map(toMessage), options, token);
      const answer = await receive(response, stream, token);
      if (answer.calls.length === 0 || token.isCancellationRequested) {
        records.push({ text: answer.text, calls: [], results: [] });
        return end();
      }
      if (round > maxRounds)
        return end(t('Stopped after {0} rounds, the limit set by "mcpHost.chat.maxRounds".', maxRounds));
      const outcomes = await this.caller.callAll(
        answer.calls,
        offer,
        { model, chat, repeats, maxRepeats: MAX_REPEATS },
        stream,
        token,
      );
      for (const { serverId, links, app } of outcomes) {
        if (app) apps.push(app);
        if (serverId) used.add(serverId);
        if (serverId && links) linking.add(serverId);
      }
      records.push(recordOf(answer, outcomes));
      if (token.isCancellationRequested) return end();
      rounds.push(...messagesOf(answer, outcomes));
      const looping = outcomes.find(({ loops }) => loops);
      if (looping) return end(t('Stopped: the model kept making the same call to {0}.', visible(looping.name, 80)));
    }
  }

  #systemText(): string {
    const ready = this.servers.all.filter(({ state }) => state.kind === 'ready');
    return systemText(ready.map(server => ({ name: server.id, instructions: this.pins.instructions(server) })));
  }
}

/** Said below the answer, because the editor folds away what comes before it. */
function tellBlocked(stream: vscode.ChatResponseStream, blocked: number): void {
  if (blocked === 0) return;
  say(
    stream,
    blocked === 1
      ? t('1 tool is blocked because it has changed since you accepted it.')
      : t('{0} tools are blocked because they have changed since you accepted them.', blocked),
  );
  stream.button({ command: 'mcpHost.reviewChanges', title: t('Review Changes…') });
}

interface Answer {
  text: string;
  calls: readonly vscode.LanguageModelToolCallPart[];
}

/** Shows the text as it comes; collects the calls. */
async function receive(
  response: vscode.LanguageModelChatResponse,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<Answer> {
  let reply = '';
  const calls: vscode.LanguageModelToolCallPart[] = [];
  try {
    for await (const part of response.stream) {
      if (part instanceof vscode.LanguageModelTextPart) {
        reply += part.value;
        stream.markdown(part.value);
      } else if (part instanceof vscode.LanguageModelToolCallPart) {
        calls.push(part);
      }
    }
  } catch (error) {
    // A cancelled model may end its stream with an error, which is not a failure.
    if (!token.isCancellationRequested) throw error;
  }
  return { text: reply, calls };
}

function messagesOf({ text: reply, calls }: Answer, outcomes: readonly CallOutcome[]): ModelMessage[] {
  const made = calls.map(({ callId, name, input }): CallPart => ({ kind: 'call', id: callId, name, input }));
  return [
    assistant(...(reply ? [text(reply)] : []), ...made),
    user(...outcomes.map(({ id, parts }) => ({ kind: 'result' as const, id, parts }))),
  ];
}

function recordOf({ text: reply, calls }: Answer, outcomes: readonly CallOutcome[]): RoundRecord {
  return {
    text: reply,
    calls: calls.map(({ callId, name, input }) => ({ id: callId, name, input })),
    results: outcomes.map(({ id, parts }) => ({ id, text: textOf(parts) })),
  };
}

function isContent(part: ModelMessage['parts'][number]): part is Extract<typeof part, { kind: 'text' | 'image' }> {
  return part.kind === 'text' || part.kind === 'image';
}
