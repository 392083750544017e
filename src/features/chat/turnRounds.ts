import { formatDuration, numberText } from '../../base/numberText';
import { visible } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import type { ServerSet } from '../../host';
import type { Apps } from '../apps';
import {
  assistant,
  type CallPart,
  type ModelMessage,
  ownWords,
  type ScalePictures,
  scaledIn,
  textOfParts,
  toMessage,
  user,
  withinPictureBudget,
} from '../languageModel';
import type { OfferedSkill } from '../skills';
import type { Flow, Pins } from '../trust';
import { say } from './answerLines';
import type { CallOutcome } from './callLane';
import { type Conversation, fitToWindow } from './core/fitToWindow';
import { type KeptResults, readResultTool } from './core/keptResults';
import { LoopGuard, noCost, TokenBudget, type TurnCost, totalTokens } from './core/turnLimits';
import { boundRecord, type ChatMetadata, type RoundRecord } from './core/turnRecord';
import { type RefusedSkill, readTool, type SkillReader, skillTool } from './skillReader';
import type { CallContext, ToolCaller } from './toolCaller';
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

export interface TurnServices {
  readonly servers: Pick<ServerSet, 'get'>;
  readonly offer: ToolOffer;
  readonly caller: ToolCaller;
  readonly flow: () => Pick<Flow, 'read' | 'trailOfChat'>;
  readonly pins: Pins;
  readonly skillReader: SkillReader;
  readonly kept: Pick<KeptResults, 'has'>;
  readonly scale: ScalePictures;
  readonly apps: Pick<Apps, 'context' | 'takeContext'>;
  readonly options: () => TurnOptions;
}

/** With the messages before those of the rounds. */
interface TurnStart extends Omit<CallContext, 'inScript' | 'loops'>, Omit<Conversation, 'rounds'> {
  readonly skills: readonly OfferedSkill[];
  /** Servers whose content or tools this turn has used: grows. */
  readonly used: Set<string>;
  /** Servers that have linked resources in this chat, which the model may read: grows. */
  readonly linking: Set<string>;
}

/** The rounds of one turn. In each, the model gets the conversation and answers or calls tools. */
export class TurnRounds {
  readonly #options: TurnOptions;
  readonly #budget: TokenBudget;
  readonly #cost = noCost();
  readonly #loops = new LoopGuard();
  readonly #records: RoundRecord[] = [];
  readonly #refused: RefusedSkill[] = [];
  readonly #apps: vscode.Command[] = [];
  #messages: readonly ModelMessage[] = [];
  #hasLeftOutPictures = false;

  constructor(
    private readonly services: TurnServices,
    private readonly start: TurnStart,
  ) {
    this.#options = services.options();
    this.#budget = new TokenBudget(this.#options.maxTokens);
  }

  /** Works until the model is done or the person cancels. @returns the reason if a limit ended it before. */
  async work(): Promise<string | undefined> {
    const { token } = this.start;
    for (let round = 1; ; round++) {
      const messages = await this.#fittingMessages();
      if (!messages) return this.#tooLong();
      const exhausted = this.#checkBudget();
      if (exhausted) return exhausted;
      const answer = await this.#send(messages);
      if (answer.calls.length === 0 || token.isCancellationRequested) {
        this.#records.push({ text: answer.text, calls: [], results: [] });
        return undefined;
      }
      const { maxRounds } = this.#options;
      if (round > maxRounds) return t('Stopped after {0} rounds, the limit set by "mcpHost.chat.limits".', maxRounds);
      const outcomes = await this.#call(answer);
      if (token.isCancellationRequested) return undefined;
      await this.#append(messagesOf(answer, outcomes));
      const looping = madeCalls(outcomes).find(({ loops }) => loops);
      if (looping) return verbatim('Stopped: the model kept making the same call to {0}.', visible(looping.name, 80));
    }
  }

  /** Shows what belongs below the answer. @param prompt the messages of a prompt, which are part of the record */
  end(why: string | undefined, prompt: readonly ModelMessage[] | undefined): ChatMetadata {
    const { stream, tools, model, chat, used, linking, trail } = this.start;
    if (why) say(stream, why);
    if (this.#cost.calls > 0) say(stream, costText(this.#cost));
    tellBlocked(stream, tools.blocked.size);
    this.services.skillReader.tell(this.#refused, stream);
    for (const app of this.#apps) stream.button(app);
    void this.services.offer.count(tools, counting(model));
    const request = prompt?.map(({ role, parts }) => ({ role, text: textOfParts(parts.filter(isContent)) }));
    return {
      chat,
      servers: [...used],
      record: boundRecord({ ...(request && { request }), rounds: this.#records }),
      reads: trail.reads,
      ...(linking.size > 0 && { linking: [...linking] }),
    };
  }

  /** The conversation, shortened to the model's window, and counted. Undefined: not even the question fits. */
  async #fittingMessages(): Promise<readonly ModelMessage[] | undefined> {
    const { model, token, tools, system, turns, request } = this.start;
    const definitions = tools.tokens;
    // Declarations are part of the text that is measured with the conversation.
    const declarations = tools.declaredTokens;
    const window = model.maxInputTokens - (definitions - declarations);
    const fitted = await fitToWindow({ system, turns, request, rounds: this.#messages }, window, prompt =>
      model.countTokens(prompt, token),
    );
    if (!fitted.fits) return undefined;
    this.#cost.requests++;
    this.#cost.definitions += definitions;
    this.#cost.results += fitted.roundTokens;
    this.#cost.history += Math.max(0, fitted.tokens - fitted.roundTokens - declarations);
    return fitted.messages;
  }

  #tooLong(): string {
    const { name, maxInputTokens } = this.start.model;
    return verbatim(
      'This is too long for {0}, which accepts {1} tokens. Choose a model with a larger context window, or ask for less.',
      name,
      maxInputTokens,
    );
  }

  /** Warns once when most of the budget is spent. @returns the reason to stop when all of it is */
  #checkBudget(): string | undefined {
    const { maxTokens } = this.#options;
    const tokens = totalTokens(this.#cost);
    const then = this.#budget.at(tokens);
    if (then === 'stop')
      return t('Stopped: the setting "mcpHost.chat.limits" limits a question to {0} tokens.', maxTokens);
    if (then === 'warn')
      say(
        this.start.stream,
        t('This question has used {0} of the {1} tokens that "mcpHost.chat.limits" allows.', tokens, maxTokens),
      );
    return undefined;
  }

  async #send(messages: readonly ModelMessage[]): Promise<Answer> {
    const { model, stream, token } = this.start;
    const tools = this.#offeredTools();
    const options: vscode.LanguageModelChatRequestOptions = { justification: t('To answer your question to @mcp') };
    if (tools.length > 0) options.tools = tools;
    return receive(await model.sendRequest(messages.map(toMessage), options, token), stream, token);
  }

  #offeredTools(): vscode.LanguageModelChatTool[] {
    const { skills, linking, chat, tools } = this.start;
    const readers = [
      ...(skills.length > 0 ? [skillTool(skills)] : []),
      ...(linking.size > 0 ? [readTool(linking)] : []),
      ...(this.services.kept.has(chat) ? [readResultTool] : []),
    ];
    return [...readers, ...tools.definitions].slice(0, Math.max(this.#options.maxTools, readers.length));
  }

  async #call(answer: Answer): Promise<readonly CallOutcome[]> {
    const { model, tools, stream, token, chat, trail, used, linking } = this.start;
    const context = { model, tools, stream, token, chat, trail, loops: this.#loops };
    const outcomes = await this.services.caller.callAll(answer.calls, context);
    for (const { serverId, links, refused, app, ms = 0 } of madeCalls(outcomes)) {
      this.#cost.calls++;
      this.#cost.ms += ms;
      if (refused) this.#refused.push(refused);
      if (app) this.#apps.push(app);
      if (serverId) used.add(serverId);
      if (serverId && links) linking.add(serverId);
    }
    this.#records.push(recordOf(answer, outcomes));
    return outcomes;
  }

  /** Adds a round to the conversation. Pictures of earlier ones are left out when there are too many. */
  async #append(round: readonly ModelMessage[]): Promise<void> {
    const all = [...this.#messages, ...(await scaledIn(round, this.services.scale))];
    this.#messages = withinPictureBudget(all);
    if (this.#messages === all || this.#hasLeftOutPictures) return;
    this.#hasLeftOutPictures = true;
    say(this.start.stream, t('To save tokens, the model no longer gets the pictures of earlier calls.'));
  }
}

/** The calls of tools, those that a script made in place of the script's own. */
const madeCalls = (outcomes: readonly CallOutcome[]) => outcomes.flatMap(outcome => outcome.inner ?? [outcome]);

/** The model as a counter of definitions. Counting is not cancelled with the question. */
export function counting(model: vscode.LanguageModelChat): OfferWanted['model'] {
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
  const read = async () => {
    for await (const part of response.stream) {
      if (token.isCancellationRequested) return;
      if (part instanceof vscode.LanguageModelTextPart) {
        reply += part.value;
        stream.markdown(part.value);
      } else if (part instanceof vscode.LanguageModelToolCallPart) {
        calls.push(part);
      }
    }
  };
  // A model may go on for long, and the editor waits a second for what we say of an answer that was stopped.
  const stopped = new Promise<void>(resolve => token.onCancellationRequested(() => resolve()));
  try {
    await Promise.race([read(), stopped]);
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
    results: outcomes.map(({ id, parts }) => ({ id, text: textOfParts(parts) })),
  };
}

const isContent = (part: ModelMessage['parts'][number]) => part.kind === 'text' || part.kind === 'image';
