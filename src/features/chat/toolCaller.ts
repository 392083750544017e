import type { CallToolResult, Progress } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { messageOf } from '../../base/errors';
import { isObject } from '../../base/isObject';
import { restored } from '../../base/modelData';
import { english } from '../../base/phrase';
import { visible } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import type { ServerSet } from '../../host';
import type { CalledApps } from '../apps';
import {
  acceptsImages,
  type ContentPart,
  DENIED,
  FAILED,
  NOT_CALLED,
  planToolResult,
  text as textPart,
} from '../languageModel';
import type { ResultStore } from '../tools';
import type { ApprovedCall, PersonsAnswer, Pins, ToolCalls, WantedCall } from '../trust';
import { type ChatApproval, say, sayProgress, toolTitle } from './approval';
import { decisionText } from './approvalChoices';
import { sayCallEnd } from './callLine';
import type { CallQuestions, TurnChat } from './chatQuestions';
import type { KeptResults } from './core/keptResults';
import type { LoopGuard } from './core/loopGuard';
import { originalArguments } from './core/providerSchema';
import { CALL_TOOL, DESCRIBE_TOOL, READ_RESOURCE, READ_RESULT, READ_SKILL, SEARCH_TOOLS } from './core/toolNames';
import type { TurnTools } from './core/turnTools';
import { links, readCall } from './resourceReader';
import type { RefusedSkill, SkillReader } from './skillReader';

const { t } = vscode.l10n;
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
  readonly app?: vscode.Command | undefined;
  /** A skill that it asked for and did not get. */
  readonly refused?: RefusedSkill | undefined;
  /** The model makes this call again, although it was told that it already has. */
  readonly loops?: boolean;
}

interface CallContext {
  model: vscode.LanguageModelChat;
  /** Key of the chat session. */
  chat: string;
  /** The servers whose skills were read in it, by their names. */
  acting: Set<string>;
  /** The calls of this turn. */
  loops: LoopGuard;
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
    private readonly skills: Pick<SkillReader, 'read'>,
    private readonly kept: KeptResults,
    private readonly schemaProblem: SchemaProblem,
    private readonly maxResultLength: () => number,
  ) {}

  /** Makes calls in order, asking for approvals one after the other. Read-only calls run in parallel, others alone. */
  async callAll(
    calls: readonly vscode.LanguageModelToolCallPart[],
    tools: TurnTools,
    context: CallContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<CallOutcome[]> {
    const outcomes: Promise<CallOutcome>[] = [];
    const chat = this.questions.in(stream, token);
    try {
      for (const call of calls) {
        const prepared = await this.#prepare(call, tools, context, stream, token);
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
    tools: TurnTools,
    context: CallContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Prepared> {
    const done = (text: string, more: Partial<CallOutcome> = {}) => ({ outcome: outcome(call, text, more) });
    const { name, args: input } = unwrap(call);
    const repeated = context.loops.repeated(name, input);
    if (repeated) return done(repeated.told, { loops: repeated.ends });
    if (name === SEARCH_TOOLS) return done(tools.search(input.query));
    if (name === DESCRIBE_TOOL) return done(tools.describe(input.names ?? input.name));
    if (name === READ_RESULT) return done(await this.kept.read(context.chat, input));
    if (name === READ_RESOURCE) {
      const reading = await readCall(this.servers, this.pins, input, context.acting);
      return typeof reading === 'string' ? done(reading) : this.#approve(call, reading, context, stream, token);
    }
    if (name === READ_SKILL) return { run: chat => this.#readSkill(call, input, context, stream, chat), reads: true };
    const named = tools.byName.get(name);
    if (!named) return done(`${NOT_CALLED} ${tools.missing(name)}`);
    const { serverId } = named;
    const original = originalArguments(named.definition.inputSchema, named.renamed, input);
    const args = restored(named.tool.inputSchema, original);
    const server = this.servers.get(serverId);
    if (!server) return done(`${NOT_CALLED} MCP server "${serverId}" is gone.`, { serverId });
    const problem = this.schemaProblem(named.tool.inputSchema, args);
    if (problem)
      return done(`${NOT_CALLED} the arguments do not fit its input schema: ${visible(problem, 500)}`, { serverId });
    return this.#approve(call, { server, tool: named.tool, args }, context, stream, token);
  }

  /** The person's approval of a skill is for reading it, as often as a model likes. */
  async #readSkill(
    call: vscode.LanguageModelToolCallPart,
    input: Record<string, unknown>,
    { acting }: CallContext,
    stream: vscode.ChatResponseStream,
    chat: TurnChat,
  ): Promise<CallOutcome> {
    try {
      const reading = await this.skills.read(input, stream, chat.stopped);
      if ('said' in reading) return outcome(call, reading.said, { refused: reading.refused });
      acting.add(visible(reading.server.id));
      const { parts } = planToolResult(
        { content: [{ type: 'text', text: reading.content }] },
        { images: false, maxChars: this.maxResultLength() },
      );
      return { id: call.callId, name: call.name, serverId: reading.server.id, parts };
    } catch (error) {
      say(stream, errorText(error));
      return outcome(call, `${FAILED} ${visible(messageOf(error, 1_000), 1_000)}`);
    }
  }

  async #approve(
    call: vscode.LanguageModelToolCallPart,
    making: Omit<WantedCall, 'origin'>,
    context: CallContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<Prepared> {
    const { server, tool } = making;
    const serverId = server.id;
    const done = (text: string, more: Partial<CallOutcome> = {}) => ({
      outcome: outcome(call, text, { serverId, ...more }),
    });
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
    const run = (chat: TurnChat) => this.#run(call, wanted, decided, answer, context, stream, chat);
    return { run, reads: tool.annotations?.readOnlyHint === true };
  }

  async #run(
    call: vscode.LanguageModelToolCallPart,
    wanted: WantedCall,
    decided: string,
    approved: ApprovedCall,
    { model, chat: key }: CallContext,
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
      const planned = planToolResult(result, options);
      const parts = planned.shortened
        ? await this.#long(planned.shortened.whole, planned.parts, wanted, result, key)
        : planned.parts;
      return { id: call.callId, name: call.name, serverId: server.id, parts, links: links(result), app };
    } catch (error) {
      sayCallEnd(stream, wanted, { decided, ms: performance.now() - started });
      return outcome(call, `${FAILED} ${visible(messageOf(error, 1_000), 1_000)}`, { serverId: server.id });
    }
  }

  /** What the model gets of a result that is too long: a part, and the way to the others. */
  async #long(
    text: string,
    parts: readonly ContentPart[],
    { server }: Pick<WantedCall, 'server'>,
    { structuredContent, isError }: CallToolResult,
    chat: string,
  ): Promise<readonly ContentPart[]> {
    const images = parts.filter(({ kind }) => kind === 'image');
    try {
      const structured = structuredContent && redactedData(structuredContent, one => server.redact(one));
      const said = await this.kept.keep({ chat, text: server.redact(text), structured });
      return [textPart(isError ? `${FAILED}\n${said}` : said), ...images];
    } catch {
      // It can't be written, or is nested too deeply to be. Head and tail must do.
      return parts;
    }
  }
}

/** Replaces a call of `mcp_call_tool` by the call that it names. */
function unwrap({ name, input }: vscode.LanguageModelToolCallPart): { name: string; args: Record<string, unknown> } {
  const args = isObject(input) ? input : {};
  if (name !== CALL_TOOL) return { name, args };
  return { name: String(args.name), args: argumentsOf(args.arguments) };
}

/** JSON without secrets; they are struck out of its text, in which they may be written otherwise. */
function redactedData(data: unknown, redact: (text: string) => string): unknown {
  return JSON.parse(redact(JSON.stringify(data)));
}

/** Some models write arguments within arguments as a text. */
function argumentsOf(said: unknown): Record<string, unknown> {
  if (typeof said !== 'string') return isObject(said) ? said : {};
  try {
    const parsed: unknown = JSON.parse(said);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function outcome(
  { callId, name }: vscode.LanguageModelToolCallPart,
  said: string,
  more: Partial<CallOutcome> = {},
): CallOutcome {
  return { id: callId, name, parts: [textPart(said)], ...more };
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
