import { formatDuration, numberText } from '../../base/numberText';
import { visible } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { AppContext, Apps } from '../apps';
import {
  assistant,
  type CallPart,
  type ModelMessage,
  ownWords,
  type ScalePictures,
  scaledIn,
  text,
  textOf,
  toMessage,
  user,
  withinPictureBudget,
} from '../languageModel';
import type { OfferedSkill } from '../skills';
import type { Flow, Pins } from '../trust';
import { say } from './answerLines';
import type { CallOutcome } from './callLane';
import { type KeptResults, readResultTool } from './core/keptResults';
import { fitToWindow, systemText, type Whereabouts } from './core/request';
import {
  boundRecord,
  type ChatMetadata,
  LoopGuard,
  noCost,
  type RoundRecord,
  TokenBudget,
  type TurnCost,
  type TurnRecord,
  totalTokens,
} from './core/turnRecord';
import type { TurnTools } from './core/turnTools';
import { historyLinks, historyReads, historySkills, historyTurns, usedTools } from './history';
import { type RefusedSkill, readTool, type SkillReader, skillTool } from './skillReader';
import type { Preview } from './subcommands';
import type { ToolCaller } from './toolCaller';
import type { OfferWanted, ToolOffer } from './toolOffer';

import vscode = require('vscode');

interface TurnOptions {
  maxRounds: number;
  maxTools: number;
  maxTokens: number;
  toolTokens: number;
  codeMode: boolean;
  alwaysOffer: readonly unknown[];
}

interface TurnRequest {
  /** The current question, or the messages of a prompt. */
  asked: readonly ModelMessage[];
  /** The question in words, for choosing the tools that fit it. */
  question: string;
  model: vscode.LanguageModelChat;
  history: vscode.ChatContext['history'];
  chat: string;
  promptServer?: ServerConnection;
  attached?: readonly string[];
}

interface TurnServices {
  readonly servers: Pick<ServerSet, 'get'>;
  readonly offer: ToolOffer;
  readonly caller: ToolCaller;
  readonly flow: () => Pick<Flow, 'read' | 'trail'>;
  readonly pins: Pins;
  readonly skillReader: SkillReader;
  readonly kept: Pick<KeptResults, 'has'>;
  readonly scale: ScalePictures;
  readonly apps: Pick<Apps, 'context' | 'takeContext'>;
  readonly options: () => TurnOptions;
}

/** One turn of `@mcp`: the model gets the tools and works in rounds until it is done, gives up or is stopped. */
export class Turn {
  constructor(private readonly services: TurnServices) {}

  async run(
    { asked, question, model, history, chat, promptServer, attached = [] }: TurnRequest,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const { maxRounds, maxTokens, maxTools } = this.services.options();
    await this.services.offer.refresh();
    const offer = await this.services.offer.forTurn(this.#wanted(question, model, history));
    const skills = await this.services.skillReader.offer();
    const system = [user(text(this.#systemText(offer, skills)))];
    const turns = historyTurns(history);
    const contexts = this.services.apps.takeContext();
    for (const { server } of contexts)
      say(stream, verbatim('Also sent: what the open app of MCP server "{0}" tells the model.', server));
    const told = contexts.map(context => user(text(appText(context))));
    const request = [...told, ...(await scaledIn(asked, this.services.scale))];
    let rounds: readonly ModelMessage[] = [];
    let isTold = false;
    const records: RoundRecord[] = [];
    const used = new Set(promptServer ? [promptServer.id] : []);
    const loops = new LoopGuard();
    const linking = new Set(historyLinks(history));
    const trail = this.services.flow().trail(historySkills(history), historyReads(history));
    for (const read of [...attached, ...contexts.map(({ server }) => server), ...used]) {
      const server = this.services.servers.get(read);
      if (server) this.services.flow().read(server, trail);
    }
    const refused: RefusedSkill[] = [];
    const apps: vscode.Command[] = [];
    const cost = noCost();
    const budget = new TokenBudget(maxTokens);
    const end = (why?: string): vscode.ChatResult => {
      if (why) say(stream, why);
      if (cost.calls > 0) say(stream, costText(cost));
      tellBlocked(stream, offer.blocked.size);
      this.services.skillReader.tell(refused, stream);
      for (const app of apps) stream.button(app);
      void this.services.offer.count(offer, counting(model));
      const said = promptServer && asked.map(({ role, parts }) => ({ role, text: textOf(parts.filter(isContent)) }));
      const record: TurnRecord = boundRecord({ ...(said && { request: said }), rounds: records });
      const linked = linking.size > 0 && { linking: [...linking] };
      const { reads } = trail;
      return { metadata: { chat, servers: [...used], record, reads, ...linked } satisfies ChatMetadata };
    };
    for (let round = 1; ; round++) {
      const readers = [
        ...(skills.length > 0 ? [skillTool(skills)] : []),
        ...(linking.size > 0 ? [readTool(linking)] : []),
        ...(this.services.kept.has(chat) ? [readResultTool] : []),
      ];
      const tools = [...readers, ...offer.definitions].slice(0, Math.max(maxTools, readers.length));
      const definitions = offer.tokens;
      // Declarations are part of the text that is measured with the conversation.
      const declarations = offer.declaredTokens;
      const window = model.maxInputTokens - (definitions - declarations);
      const fitted = await fitToWindow({ system, turns, request, rounds }, window, prompt =>
        model.countTokens(prompt, token),
      );
      if (!fitted.fits) {
        return end(
          verbatim(
            'This is too long for {0}, which accepts {1} tokens. Choose a model with a larger context window, or ask for less.',
            model.name,
            model.maxInputTokens,
          ),
        );
      }
      cost.requests++;
      cost.definitions += definitions;
      cost.results += fitted.roundTokens;
      cost.history += Math.max(0, fitted.tokens - fitted.roundTokens - declarations);
      const tokens = totalTokens(cost);
      const then = budget.at(tokens);
      if (then === 'stop')
        return end(t('Stopped: the setting "mcpHost.chat.limits" limits a question to {0} tokens.', maxTokens));
      if (then === 'warn') {
        say(
          stream,
          t('This question has used {0} of the {1} tokens that "mcpHost.chat.limits" allows.', tokens, maxTokens),
        );
      }
      const options: vscode.LanguageModelChatRequestOptions = { justification: t('To answer your question to @mcp') };
      if (tools.length > 0) options.tools = [...tools];
      const response = await model.sendRequest(fitted.messages.map(toMessage), options, token);
      const answer = await receive(response, stream, token);
      if (answer.calls.length === 0 || token.isCancellationRequested) {
        records.push({ text: answer.text, calls: [], results: [] });
        return end();
      }
      if (round > maxRounds)
        return end(t('Stopped after {0} rounds, the limit set by "mcpHost.chat.limits".', maxRounds));
      const context = { model, tools: offer, stream, token, chat, trail, loops };
      const outcomes = await this.services.caller.callAll(answer.calls, context);
      const made = outcomes.flatMap(outcome => outcome.inner ?? [outcome]);
      cost.calls += made.length;
      for (const { serverId, links, refused: skill, app, ms = 0 } of made) {
        cost.ms += ms;
        if (skill) refused.push(skill);
        if (app) apps.push(app);
        if (serverId) used.add(serverId);
        if (serverId && links) linking.add(serverId);
      }
      records.push(recordOf(answer, outcomes));
      if (token.isCancellationRequested) return end();
      rounds = [...rounds, ...(await scaledIn(messagesOf(answer, outcomes), this.services.scale))];
      const within = withinPictureBudget(rounds);
      if (within !== rounds && !isTold)
        say(stream, t('To save tokens, the model no longer gets the pictures of earlier calls.'));
      isTold ||= within !== rounds;
      rounds = within;
      const looping = made.find(({ loops }) => loops);
      if (looping)
        return end(verbatim('Stopped: the model kept making the same call to {0}.', visible(looping.name, 80)));
    }
  }

  /** The request that a model would get with a question. */
  async preview({ question, model, history }: Pick<TurnRequest, 'question' | 'model' | 'history'>): Promise<Preview> {
    await this.services.offer.refresh();
    const tools = await this.services.offer.forTurn(this.#wanted(question, model, history));
    void this.services.offer.count(tools, counting(model));
    const told = [
      this.#systemText(tools, await this.services.skillReader.offer()),
      ...this.services.apps.context().map(appText),
    ];
    return { system: told.join('\n\n'), tools, earlier: historyTurns(history).length };
  }

  #wanted(question: string, model: vscode.LanguageModelChat, history: vscode.ChatContext['history']): OfferWanted {
    const { maxTools, toolTokens, codeMode, alwaysOffer } = this.services.options();
    const limits = { maxTools, maxTokens: toolTokens, inScripts: codeMode };
    return { question, limits, model: counting(model), used: usedTools(history), always: alwaysOffer };
  }

  #systemText({ byName, isDeferred, declarations }: TurnTools, skills: readonly OfferedSkill[]): string {
    const offered = [...byName.values()];
    const told = this.services.offer.told.map(server => ({
      name: server.id,
      isReady: server.isUsable,
      tools: offered.filter(({ serverId }) => serverId === server.id).map(({ tool }) => tool.name),
      instructions: server.state.kind === 'ready' ? this.services.pins.instructions(server) : undefined,
    }));
    const named = skills.map(({ server, skill: { uri, name, description } }) => ({
      server: server.id,
      uri,
      name,
      description,
    }));
    return systemText(told, whereabouts(), isDeferred, { skills: named, declarations });
  }
}

const appText = ({ server, text: said }: AppContext) => `The open app of MCP server "${server}" says: ${said}`;

/** The model as a counter of definitions. Counting is not cancelled with the question. */
function counting(model: vscode.LanguageModelChat): OfferWanted['model'] {
  const { id, maxInputTokens } = model;
  return { id, maxInputTokens, countTokens: counted => model.countTokens(counted) };
}

function costText(cost: TurnCost): string {
  const total = totalTokens(cost);
  return verbatim(
    'Calls: {0} · tokens sent: about {1} (tools {2}, conversation {3}, results {4}) · servers: {5}',
    cost.calls,
    numberText(total),
    numberText(cost.definitions),
    numberText(cost.history),
    numberText(cost.results),
    formatDuration(cost.ms),
  );
}

/** Shown below the answer, because the editor folds away what comes before it. */
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
    assistant(...(reply ? [ownWords(reply)] : []), ...made),
    user(...outcomes.map(({ id, parts }) => ({ kind: 'result' as const, id, parts }))),
  ];
}

function recordOf({ text: reply, calls }: Answer, outcomes: readonly CallOutcome[]): RoundRecord {
  return {
    text: reply,
    calls: calls.map(({ callId, name, input }) => {
      const inner = outcomes.find(({ id }) => id === callId)?.inner ?? [];
      const made = [...new Set(inner.map(one => one.name))];
      return { id: callId, name, input, ...(made.length > 0 && { made }) };
    }),
    results: outcomes.map(({ id, parts }) => ({ id, text: textOf(parts) })),
  };
}

function isContent(part: ModelMessage['parts'][number]): part is Extract<typeof part, { kind: 'text' | 'image' }> {
  return part.kind === 'text' || part.kind === 'image';
}

const PLATFORMS: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' };

/** Context for the model besides the question: date, platform, folders, active file. */
function whereabouts(): Whereabouts {
  const file = activeFile();
  return {
    date: dateOf(new Date()),
    platform: vscode.env.uiKind === vscode.UIKind.Web ? 'the web' : (PLATFORMS[process.platform] ?? process.platform),
    folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => placeOf(uri)),
    ...(file && { file }),
  };
}

function activeFile(): Whereabouts['file'] {
  const editor = vscode.window.activeTextEditor;
  // Documents of ours, logs and the like are no files that tools could read.
  if (!editor || !isFile(editor.document.uri)) return undefined;
  const { document, selection } = editor;
  return {
    path: vscode.workspace.asRelativePath(document.uri, true),
    language: document.languageId,
    ...(!selection.isEmpty && { lines: [selection.start.line + 1, selection.end.line + 1] as const }),
  };
}

const isFile = ({ scheme }: vscode.Uri): boolean =>
  ['file', 'untitled', 'vscode-remote', 'vscode-vfs'].includes(scheme);

const placeOf = (uri: vscode.Uri): string => (uri.scheme === 'file' ? uri.fsPath : uri.toString());

/** In the person's own time zone. */
function dateOf(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, '0')).join('-');
}
