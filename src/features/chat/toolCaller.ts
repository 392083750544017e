import type { Progress } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { messageOf } from '../../base/errors';
import { isObject } from '../../base/isObject';
import { restored, revealedData } from '../../base/modelData';
import { english } from '../../base/phrase';
import { visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import type { ServerSet } from '../../host';
import type { CalledApps } from '../apps';
import { acceptsImages, type ContentPart, DENIED, FAILED, NOT_CALLED, planToolResult, text } from '../languageModel';
import type { ResultStore } from '../tools';
import type { ApprovedCall, PersonsAnswer, Pins, ToolCalls, WantedCall } from '../trust';
import { type ChatApproval, say, sayProgress, toolTitle } from './approval';
import { decisionText } from './approvalChoices';
import { sayCallEnd } from './callLine';
import type { CallQuestions, TurnChat } from './chatQuestions';
import { searchTools } from './core/relevance';
import { CALL_TOOL, type OfferedTool, READ_RESOURCE, SEARCH_TOOLS } from './core/toolNames';
import { links, readCall } from './resourceReader';
import type { Offer } from './toolOffer';

const { t } = vscode.l10n;
const MAX_FOUND = 10;
/** Each call shows at most one line of progress in this many milliseconds. */
const PROGRESS_MS = 2_000;

/** The outcome of one call: what the model gets, and what is kept of it. */
export interface CallOutcome {
  readonly id: string;
  readonly name: string;
  readonly serverId?: string;
  readonly parts: readonly ContentPart[];
  /** The result links to resources of the server. */
  readonly links?: boolean;
  /** Opens the app that shows the result. */
  readonly app?: vscode.Command;
  /** The model has made exactly this call too often. */
  readonly loops?: boolean;
}

export interface CallContext {
  model: vscode.LanguageModelChat;
  /** Key of the chat session. */
  chat: string;
  /** How often each call was made in this turn. */
  repeats: Map<string, number>;
  maxRepeats: number;
}

/** A call that may be made, or what became of it without. */
type Prepared =
  | { run: (chat: TurnChat) => Promise<CallOutcome>; reads: boolean }
  | { run?: undefined; outcome: CallOutcome };

type SchemaProblem = (schema: Record<string, unknown>, value: unknown) => string | undefined;

/** Carries out the calls that a model asks for: finds the tool, checks, asks for approval, calls, and shows the result. */
export class ToolCaller {
  constructor(
    private readonly servers: ServerSet,
    private readonly calls: ToolCalls,
    private readonly pins: Pick<Pins, 'load' | 'blocksUri'>,
    private readonly approval: ChatApproval,
    private readonly questions: CallQuestions,
    private readonly results: ResultStore,
    private readonly apps: Pick<CalledApps, 'inChat'>,
    private readonly schemaProblem: SchemaProblem,
    private readonly maxResultLength: () => number,
  ) {}

  /** Makes calls in order, asking for approvals one after the other. Read-only calls run in parallel, others alone. */
  async callAll(
    calls: readonly vscode.LanguageModelToolCallPart[],
    offer: Offer,
    context: CallContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<CallOutcome[]> {
    const outcomes: Promise<CallOutcome>[] = [];
    const chat = this.questions.in(stream, token);
    try {
      for (const call of calls) {
        const prepared = await this.#prepare(call, offer, context, stream, token);
        if (!prepared.run) {
          outcomes.push(Promise.resolve(prepared.outcome));
          continue;
        }
        if (!prepared.reads) await Promise.all(outcomes);
        const running = prepared.run(chat);
        outcomes.push(running);
        if (!prepared.reads) await running;
      }
      return await Promise.all(outcomes);
    } finally {
      chat.end();
    }
  }

  async #prepare(
    call: vscode.LanguageModelToolCallPart,
    offer: Offer,
    context: CallContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Prepared> {
    const done = (text: string, more: Partial<CallOutcome> = {}) => ({ outcome: outcome(call, text, more) });
    const { name, args: input } = unwrap(call);
    if (name === SEARCH_TOOLS) return done(found([...offer.byName.values()], input));
    if (name === READ_RESOURCE) {
      const reading = await readCall(this.servers, this.pins, input);
      return typeof reading === 'string' ? done(reading) : this.#approve(call, reading, context, stream, token);
    }
    const named = offer.byName.get(name);
    if (!named) {
      const near = searchTools([...offer.byName.values()], name, 5).map(tool => tool.name);
      return done(
        `${NOT_CALLED} there is no tool ${visible(name, 100)}.${near.length > 0 ? ` There are: ${near.join(', ')}` : ''}`,
      );
    }
    const { serverId } = named;
    const args = restored(named.tool.inputSchema, input);
    const server = this.servers.get(serverId);
    if (!server) return done(`${NOT_CALLED} MCP server "${serverId}" is gone.`, { serverId });
    const problem = this.schemaProblem(named.tool.inputSchema, args);
    if (problem)
      return done(`${NOT_CALLED} the arguments do not fit its input schema: ${visible(problem, 500)}`, { serverId });
    return this.#approve(call, { server, tool: named.tool, args }, context, stream, token);
  }

  async #approve(
    call: vscode.LanguageModelToolCallPart,
    making: Omit<WantedCall, 'origin'>,
    context: CallContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Prepared> {
    const { server, tool, args } = making;
    const serverId = server.id;
    const done = (text: string, more: Partial<CallOutcome> = {}) => ({
      outcome: outcome(call, text, { serverId, ...more }),
    });
    const key = JSON.stringify([serverId, tool.name, args]);
    const count = (context.repeats.get(key) ?? 0) + 1;
    context.repeats.set(key, count);
    if (count > context.maxRepeats) return done(`${NOT_CALLED} this call was made again and again.`, { loops: true });
    const wanted: WantedCall = { ...making, origin: 'chat', chat: context.chat };
    let said: PersonsAnswer | undefined;
    const answer = await this.calls.approve(wanted, async (asked, pin) => {
      said = await this.approval.ask(asked, pin, stream, token);
      return said;
    });
    if (!answer.approved) {
      if (answer.by === 'rule') say(stream, localized(answer.message));
      else if (said) sayCallEnd(stream, wanted, { decided: decisionText(said) });
      return done(
        `${DENIED} ${english(answer.message)} Do not make this call again. Continue without it, or ask the user.`,
      );
    }
    const decided = said ? decisionText(said) : t('allowed before');
    const run = (chat: TurnChat) => this.#run(call, wanted, decided, answer, context.model, stream, chat);
    return { run, reads: tool.annotations?.readOnlyHint === true };
  }

  async #run(
    call: vscode.LanguageModelToolCallPart,
    wanted: WantedCall,
    decided: string,
    approved: ApprovedCall,
    model: vscode.LanguageModelChat,
    stream: vscode.ChatResponseStream,
    chat: TurnChat,
  ): Promise<CallOutcome> {
    const { server, tool } = wanted;
    const title = toolTitle(tool);
    sayProgress(stream, t('Running {0} on {1}…', title, server.id));
    const started = performance.now();
    try {
      const { args, result, problem, ms } = await approved.run({
        signal: chat.stopped,
        onProgress: progressOn(stream, title),
        chat,
      });
      const files = this.results.add({ server, tool, args, result, problem, ms });
      sayCallEnd(stream, wanted, { decided, ms, result, files });
      const app = this.apps.inChat({ server, tool, args, outcome: Promise.resolve(result) });
      if (problem) say(stream, localized(problem));
      const options = { images: acceptsImages(model), maxChars: this.maxResultLength(), problem };
      const { parts } = planToolResult(result, options);
      const made = { id: call.callId, name: call.name, serverId: server.id, parts, links: links(result) };
      return app ? { ...made, app } : made;
    } catch (error) {
      sayCallEnd(stream, wanted, { decided, ms: performance.now() - started });
      return outcome(call, `${FAILED} ${visible(messageOf(error, 1_000), 1_000)}`, { serverId: server.id });
    }
  }
}

/** Replaces a call of `mcp_call_tool` by the call that it names. */
function unwrap({ name, input }: vscode.LanguageModelToolCallPart): { name: string; args: Record<string, unknown> } {
  const args = isObject(input) ? input : {};
  if (name !== CALL_TOOL) return { name, args };
  return { name: String(args.name), args: isObject(args.arguments) ? args.arguments : {} };
}

function found(tools: readonly OfferedTool[], { query }: Record<string, unknown>): string {
  const matches = searchTools(tools, String(query ?? ''), MAX_FOUND);
  if (matches.length === 0) return 'No tool fits. Try other words.';
  return matches
    .map(({ name, tool }) =>
      JSON.stringify({
        name,
        description: visible(tool.description ?? '', 500),
        inputSchema: revealedData(tool.inputSchema),
      }),
    )
    .join('\n');
}

function outcome(
  { callId, name }: vscode.LanguageModelToolCallPart,
  said: string,
  more: Partial<CallOutcome> = {},
): CallOutcome {
  return { id: callId, name, parts: [text(said)], ...more };
}

function progressOn(stream: vscode.ChatResponseStream, title: string): (progress: Progress) => void {
  let last = performance.now();
  return ({ message, progress, total }) => {
    if (performance.now() - last < PROGRESS_MS) return;
    last = performance.now();
    const share = total ? ` ${Math.round((progress / total) * 100)} %` : '';
    sayProgress(stream, `${title}${share}${message ? `: ${visible(message, 120)}` : ''}`);
  };
}
