import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { refusedForModel } from '../../base/modelData';

import vscode = require('vscode');

import { messageOf } from '../../base/errors';
import { isObject, parsedJson } from '../../base/json';
import { english } from '../../base/phrase';
import { visible } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import { toolTitle } from '../../editor/serverRows';
import { t, verbatim } from '../../editor/window';
import { CallTime, type ServerSet } from '../../host';
import type { CalledApps } from '../apps';
import {
  acceptsImages,
  argumentsForServer,
  CALL_TOOL,
  type ContentPart,
  DENIED,
  DESCRIBE_TOOL,
  FAILED,
  NOT_CALLED,
  type PlannedResult,
  planToolResult,
  READ_RESOURCE,
  READ_RESULT,
  READ_SKILL,
  RUN_SCRIPT,
  SEARCH_TOOLS,
  textOfParts,
  text as textPart,
} from '../languageModel';
import type { ResultStore } from '../tools';
import type { ApprovedCall, AskApproval, Flow, PersonsAnswer, Requests, ToolCalls, Trail, WantedCall } from '../trust';
import { type CallQuestions, say, sayCallEnd, sayProgress, type TurnChat } from './answerLines';
import { type ChatApproval, decisionText } from './approval';
import { CallLane, type CallOutcome, type PreparedCall } from './callLane';
import type { KeptResults } from './core/keptResults';
import type { LoopGuard } from './core/turnLimits';
import type { TurnTools } from './core/turnTools';
import type { Scripts } from './scripts';
import { links, readCall, type SkillReader } from './skillReader';

/** Each call shows at most one line of progress in this many milliseconds. */
const PROGRESS_MS = 2_000;

export interface CallContext {
  readonly model: vscode.LanguageModelChat;
  readonly tools: TurnTools;
  readonly stream: vscode.ChatResponseStream;
  readonly token: vscode.CancellationToken;
  readonly chat: string;
  readonly trail: Trail;
  readonly loops: LoopGuard;
  /** Set for a script, which gets results unchanged: the tools that the person denied, and whether it has ended. */
  readonly inScript?: { readonly denied: Set<string>; readonly over: vscode.CancellationToken };
}

interface ToolCallerServices {
  readonly servers: ServerSet;
  readonly calls: ToolCalls;
  readonly requests: Pick<Requests, 'as'>;
  readonly flow: () => Pick<Flow, 'read'>;
  readonly approval: ChatApproval;
  readonly questions: CallQuestions;
  readonly results: ResultStore;
  readonly apps: Pick<CalledApps, 'inChat'>;
  readonly skills: Pick<SkillReader, 'read'>;
  readonly kept: KeptResults;
  readonly scripts: Scripts;
  readonly maxResultLength: () => number;
}

/** Carries out the calls that a model asks for: finds the tool, checks, asks for approval, calls, and shows the result. */
export class ToolCaller {
  constructor(private readonly services: ToolCallerServices) {}

  async callAll(calls: readonly vscode.LanguageModelToolCallPart[], context: CallContext): Promise<CallOutcome[]> {
    const chat = this.services.questions.in(context.stream, context.token);
    const lane = new CallLane(call => this.#prepare(call, context), chat);
    try {
      return await Promise.all(calls.map(call => lane.add(call)));
    } finally {
      chat.end();
    }
  }

  async #prepare(call: vscode.LanguageModelToolCallPart, context: CallContext): Promise<PreparedCall> {
    const { tools } = context;
    const done = (text: string, more: Partial<CallOutcome> = {}) => ({ outcome: outcome(call, text, more) });
    if (context.inScript?.over.isCancellationRequested) return done(`${NOT_CALLED} the script has ended.`);
    const { name, args: input } = unwrap(call);
    const repeated = context.loops.repeated(name, input);
    if (repeated) return done(repeated.told, { loops: repeated.ends });
    if (name === SEARCH_TOOLS) return done(tools.search(input.query));
    if (name === DESCRIBE_TOOL) return done(tools.describe(input.names ?? input.name));
    if (name === READ_RESULT) {
      const parts = await this.services.kept.read(context.chat, input, acceptsImages(context.model));
      return done('', { parts });
    }
    if (name === READ_RESOURCE) {
      const reading = readCall(this.services.servers, input);
      return typeof reading === 'string' ? done(reading) : this.#approve(call, reading, context);
    }
    if (name === RUN_SCRIPT && tools.functions) {
      const run = (chat: TurnChat) => this.#runScript(call, input, context, chat);
      return { run, reads: false };
    }
    if (name === READ_SKILL) return { run: chat => this.#readSkill(call, input, context, chat), reads: true };
    const named = tools.byName.get(name);
    if (!named) return done(`${NOT_CALLED} ${tools.missing(name)}`);
    const { serverId } = named;
    const server = this.services.servers.get(serverId);
    if (!server) return done(`${NOT_CALLED} MCP server "${serverId}" is gone.`, { serverId });
    const made = argumentsForServer(named.tool, input);
    if ('problem' in made) {
      sayCallEnd(context.stream, { server, tool: named.tool }, { decided: t('not sent: its arguments do not fit') });
      return done(`${NOT_CALLED} ${made.problem}`, { serverId });
    }
    return this.#approve(call, { server, tool: named.tool, args: made.args }, context);
  }

  /** A script needs no approval of its own, because each of its calls comes through here. */
  async #runScript(
    call: vscode.LanguageModelToolCallPart,
    { script }: Record<string, unknown>,
    context: CallContext,
    chat: TurnChat,
  ): Promise<CallOutcome> {
    const { tools, stream, token } = context;
    // Questions that are open when the script ends are withdrawn.
    const over = new vscode.CancellationTokenSource();
    const stopping = token.onCancellationRequested(() => over.cancel());
    const inScript = { denied: new Set<string>(), over: over.token };
    const lane = new CallLane(inner => this.#prepare(inner, { ...context, token: over.token, inScript }), chat);
    try {
      const { text, failed } = await this.services.scripts.run(script, { tools, lane, stream, signal: chat.stopped });
      over.cancel();
      await lane.idle();
      const result: CallToolResult = { content: [{ type: 'text', text }] };
      const planned = planToolResult(result, { images: false, maxChars: this.services.maxResultLength() });
      const parts = await this.#parts(planned, context.chat, one => one, failed);
      return { id: call.callId, name: call.name, parts, inner: lane.outcomes };
    } finally {
      stopping.dispose();
      over.dispose();
    }
  }

  /** The person's approval of a skill is for reading it, as often as a model likes. */
  async #readSkill(
    call: vscode.LanguageModelToolCallPart,
    input: Record<string, unknown>,
    { stream, token, trail, chat: key }: CallContext,
    chat: TurnChat,
  ): Promise<CallOutcome> {
    const ask: AskApproval = (asked, pin) => this.services.approval.ask(asked, pin, stream, token);
    const requests = this.services.requests.as({ origin: 'chat', chat: key, trail, ask });
    try {
      const reading = await this.services.skills.read(input, stream, { requests, signal: chat.stopped });
      if ('said' in reading) return outcome(call, reading.said, { refused: reading.refused });
      trail.skills.add(visible(reading.server.id));
      this.services.flow().read(reading.server, trail);
      const { parts } = planToolResult(
        { content: [{ type: 'text', text: reading.content }] },
        { images: false, maxChars: this.services.maxResultLength() },
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
  ): Promise<PreparedCall> {
    const { stream, token } = context;
    const { server, tool } = making;
    const serverId = server.id;
    const done = (text: string, more: Partial<CallOutcome> = {}) => ({
      outcome: outcome(call, text, { serverId, ...more }),
    });
    const denied = context.inScript?.denied;
    const key = JSON.stringify([call.name, call.input]);
    if (denied?.has(key))
      return done(`${DENIED} The user has denied exactly this call to the script.`, { isDenied: true });
    const wanted: WantedCall = { ...making, origin: 'chat', chat: context.chat, trail: context.trail };
    let said: PersonsAnswer | undefined;
    const answer = await this.services.calls.approve(wanted, async (asked, pin) => {
      said = await this.services.approval.ask(asked, pin, stream, token);
      return said;
    });
    if (!answer.approved) {
      if (answer.by === 'rule') say(stream, localized(answer.message));
      else if (said) sayCallEnd(stream, wanted, { decided: decisionText(said) });
      if (answer.by === 'person') denied?.add(key);
      return done(`${DENIED} ${refusedForModel(english(answer.message))}`, { isDenied: true });
    }
    const decided = said ? decisionText(said) : t('allowed before');
    const run = (chat: TurnChat) => this.#run(call, { wanted, decided, approved: answer }, context, chat);
    return { run, reads: tool.annotations?.readOnlyHint === true };
  }

  async #run(
    call: vscode.LanguageModelToolCallPart,
    { wanted, decided, approved }: { wanted: WantedCall; decided: string; approved: ApprovedCall },
    { model, stream, chat: key, inScript }: CallContext,
    chat: TurnChat,
  ): Promise<CallOutcome> {
    const { server, tool } = wanted;
    const title = toolTitle(tool);
    sayProgress(stream, verbatim('Running {0} on {1}…', title, server.id));
    const time = new CallTime();
    try {
      const running = approved.run({ signal: chat.stopped, onProgress: progressOn(stream, title), chat, time });
      const outcome = running.then(({ result }) => result);
      outcome.catch(() => {});
      const shown = { server, tool, args: approved.args, outcome };
      const own = this.services.apps.inChat(shown);
      const { args, result, problem, ms } = await running;
      const app = own ?? this.services.apps.inChat(shown, result);
      const files = this.services.results.add({ server, tool, args, result, problem, ms });
      sayCallEnd(stream, wanted, { decided, ms, result, files });
      if (problem) say(stream, localized(problem));
      const options = { images: acceptsImages(model), maxChars: this.services.maxResultLength(), problem };
      const planned = planToolResult(result, options);
      const parts = inScript
        ? planned.parts
        : await this.#parts(planned, key, one => server.redactForProgram(one), result.isError);
      const made = { id: call.callId, name: call.name, serverId: server.id, ms, parts, links: links(result), app };
      return inScript ? { ...made, result } : made;
    } catch (error) {
      sayCallEnd(stream, wanted, { decided, ms: time.ms });
      return outcome(call, `${FAILED} ${visible(messageOf(error, 1_000), 1_000)}`, { serverId: server.id });
    }
  }

  /** The part of a result that the model gets: if it is too long or has bytes, a part and the way to the rest. */
  async #parts(
    { parts, shortened, data, bytes }: PlannedResult,
    chat: string,
    redact: (text: string) => string,
    isError = false,
  ): Promise<readonly ContentPart[]> {
    if (!shortened && bytes.length === 0) return parts;
    const images = parts.filter(({ kind }) => kind === 'image');
    const text = shortened?.whole ?? textOfParts(parts.filter(({ kind }) => kind === 'text'));
    try {
      const said = await this.services.kept.keep({ chat, text, structured: data, bytes, redact });
      if (!shortened) return [textPart(said), ...images];
      return [textPart(isError ? `${FAILED}\n${said}` : said), ...images];
    } catch {
      // It can't be written, or is nested too deeply. Beginning and end must do.
      return parts;
    }
  }
}

/** Replaces a call of `mcp_call_tool` with the call that it names. */
function unwrap({ name, input }: vscode.LanguageModelToolCallPart): { name: string; args: Record<string, unknown> } {
  const args = isObject(input) ? input : {};
  if (name !== CALL_TOOL) return { name, args };
  return { name: String(args.name), args: argumentsOf(args.arguments) };
}

/** Some models write arguments within arguments as a text. */
function argumentsOf(said: unknown): Record<string, unknown> {
  const args = typeof said === 'string' ? parsedJson(said) : said;
  return isObject(args) ? args : {};
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
