import type { CallToolResult, Progress, Tool } from '@modelcontextprotocol/client';
import { attempt, HostError } from '../../../base/errors';
import { fingerprint } from '../../../base/fingerprint';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import {
  type CallChat,
  type CallOptions,
  CallTime,
  type MakeCall,
  type OpenRequests,
  outputProblem,
  type ServerConnection,
  type ServerRequests,
  type TraceLog,
  uncheckedPart,
} from '../../../host';
import { toolDefinition } from '../../../host/catalog';
import { noteProgram, plainId } from '../../../host/definition';
import { type ApprovalPolicy, type ApprovalScope, isByHand, type ToolCall } from './approvals';
import { type ArgumentRule, ruleId } from './argumentRules';
import type { AuditPort } from './auditLog';
import type { Flow, Trail } from './flow';
import type { PinState, Pins } from './pins';

type Arguments = Record<string, unknown>;

export interface WantedCall extends Pick<ToolCall, 'origin' | 'chat'> {
  readonly server: ServerConnection;
  readonly tool: Tool;
  readonly args: Arguments;
  /** The app that requests it, by the title of its tool. */
  readonly app?: string;
  /** The extension, agent or test file that requests it, if that is its origin. */
  readonly client?: { readonly id: string; readonly name: string };
  /** What the requesting model has read. Absent: unknown conversation. */
  readonly trail?: Trail | undefined;
  /** Whether it is no call of a listed tool but the reading of the resource `args.uri`, which needs the same approval. */
  readonly isRequest?: true;
}

const EACH_CALL = phrase('Your organization wants you to be asked about each call.');

export interface CallToApprove extends WantedCall {
  /** Why the question overrides approvals: a sentence for it. The answer applies to this call only. */
  readonly because?: Phrase | undefined;
  /** Aborted when the caller no longer waits: the question ends then. Absent: the caller waits for as long as it takes. */
  readonly until?: AbortSignal;
}

/** A person's answer. `args`: edited arguments; `rule`: remember the answer only for arguments like these. */
export type PersonsAnswer =
  | {
      readonly answer: 'allow';
      readonly args?: Arguments;
      readonly scope?: Exclude<ApprovalScope, 'call'>;
      readonly rule?: ArgumentRule;
      /** The answer applies to the tool while the app that asked is open, and the app keeps it. */
      readonly whileOpen?: boolean;
    }
  | { readonly answer: 'deny'; readonly scope?: Exclude<ApprovalScope, 'call'> };

/** Asks the person. Undefined: closed, which allows nothing. A `changed` tool can be allowed for one call only. */
export type AskApproval = (call: CallToApprove, pin: PinState) => Promise<PersonsAnswer | undefined>;

export interface RunOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Where questions that the call causes are asked. Absent: anywhere. */
  chat?: CallChat;
  time?: CallTime | undefined;
  /** Trace context sent with the call. */
  meta?: Readonly<Record<string, string>> | undefined;
}

export interface MadeCall {
  readonly args: Arguments;
  readonly result: CallToolResult;
  /** A problem with the result of a tool that was carried out: a sentence for the person and the model. */
  readonly problem: Phrase | undefined;
  /** How long the server took, without the time that a person needed for its questions. */
  readonly ms: number;
}

/** An approved call. It can be made once. */
export interface ApprovedCall {
  readonly approved: true;
  readonly args: Arguments;
  /** Rejects with a `HostError`; `CHANGED` when the tool is no longer what was approved. */
  run(options?: RunOptions): Promise<MadeCall>;
}

/** A refused call: `denied` by a rule or the person, or `blocked` until a change is accepted. */
export interface RefusedCall {
  readonly approved: false;
  readonly why: 'denied' | 'unanswered' | 'blocked';
  readonly by: 'rule' | 'person';
  /** A sentence for the caller. */
  readonly message: Phrase;
}

export interface ToolCallServices {
  /** `McpHost.requests` of the host whose servers these are. */
  readonly open: OpenRequests;
  readonly policy: ApprovalPolicy;
  readonly pins: Pins;
  readonly audit: AuditPort;
  /** `RunningCalls.make`, which owns the running calls. */
  readonly make: MakeCall;
  readonly flow: () => Pick<Flow, 'reason' | 'read'>;
  readonly trace: () => Pick<TraceLog, 'began'> | undefined;
}

/** The only way to a `tools/call` (spec: server/tools#calling-tools): pins, rules, the person, the audit log. */
export class ToolCalls {
  readonly #services: ToolCallServices;

  constructor(services: ToolCallServices) {
    this.#services = services;
  }

  /** This policy for the servers of another host, which its owner opens. Their calls are shown nowhere while they run. */
  over(open: OpenRequests): ToolCalls {
    const make: MakeCall = ({ args, send }, options) => send(args, options);
    return new ToolCalls({ ...this.#services, open, make, trace: () => undefined });
  }

  /** Decides whether a call may be made, by rule or by asking the person. Rejects only if `ask` does. */
  async approve(call: WantedCall, ask: AskApproval): Promise<ApprovedCall | RefusedCall> {
    const answer = (await this.refusal(call)) ?? (await this.#answer(call, ask));
    if (!answer.approved) this.#recordRefusal(call, answer);
    return answer;
  }

  async #answer(call: WantedCall, ask: AskApproval): Promise<ApprovedCall | RefusedCall> {
    const { server, tool } = call;
    const { answer, rule } = this.#services.policy.decide(policyCall(call, this.#services.pins));
    const flow = this.#services.flow().reason(call);
    const because = flow ?? (this.#services.policy.asksAlways ? EACH_CALL : undefined);
    if (answer === 'allow' && !flow)
      return this.#approved(call, call.args, { decided: 'rule', answer, ...(rule && { rule: ruleId(rule) }) });
    const isSame = noteProgram(server);
    const decision = await ask({ ...call, because }, this.#services.pins.toolState(server, tool));
    const by = 'person';
    if (!decision || (decision.answer === 'allow' && !isSame())) {
      const message = phrase('The call to {0} was not approved.', toolName(call));
      return { approved: false, why: 'unanswered', by, message };
    }
    const isKept = decision.answer === 'deny' || !because;
    if (decision.scope && isKept) await this.#remember(call, decision, decision.scope);
    if (decision.answer === 'deny') {
      const message = phrase('The user denied the call to {0}.', toolName(call));
      return { approved: false, why: 'denied', by, message };
    }
    await this.#services.pins.approve(server, tool);
    const said = decision.args ? 'edit' : 'allow';
    return this.#approved(call, decision.args ?? call.args, {
      decided: by,
      answer: said,
      ...(flow && { flow: true }),
    });
  }

  /** Why a call is refused whatever the person answers. Undefined: it may be asked about. Records nothing. */
  async refusal(call: WantedCall): Promise<RefusedCall | undefined> {
    const { pins, policy } = this.#services;
    await pins.load(call.server);
    const by = 'rule';
    if (this.#isBlocked(call)) {
      const message = phrase(
        '{0} is blocked because it has changed since it was accepted. Review the change on its row in the MCP view.',
        toolName(call),
      );
      return { approved: false, why: 'blocked', by, message };
    }
    if (policy.decide(policyCall(call, pins)).answer !== 'deny') return undefined;
    const message = phrase(
      '{0} is denied by your approvals. To change that, run "MCP Host: Manage Trust…".',
      toolName(call),
    );
    return { approved: false, why: 'denied', by, message };
  }

  /** Approves a test's call: the person decided before the run. Denied or blocked tools are not called. */
  async approveTest(call: Omit<WantedCall, 'origin'>): Promise<ApprovedCall | RefusedCall> {
    const wanted = { ...call, origin: 'test' } as const;
    const refusal = await this.refusal(wanted);
    if (refusal) this.#recordRefusal(wanted, refusal);
    return refusal ?? this.#approved(wanted, call.args, { decided: 'person', answer: 'allow' });
  }

  /** Whether all calls of a tool are made without a question. */
  isAllowed(call: Omit<WantedCall, 'args'>): boolean {
    const { answer, rule } = this.#services.policy.decide(policyCall({ ...call, args: {} }, this.#services.pins));
    return answer === 'allow' && !rule;
  }

  #recordRefusal(call: WantedCall, { by, why }: RefusedCall): void {
    this.#record(call, { decided: by, answer: why === 'blocked' ? why : 'deny', arguments: hashOf(call.args) });
  }

  async #remember(call: WantedCall, decision: PersonsAnswer, scope: Exclude<ApprovalScope, 'call'>): Promise<void> {
    const rule = decision.answer === 'allow' ? decision.rule : undefined;
    const { answer } = decision;
    if (!(await this.#services.policy.remember(policyCall(call, this.#services.pins), answer, scope, rule))) return;
    const { server, tool } = call;
    this.#services.audit.record({
      type: 'approval',
      server: server.id,
      tool: tool.name,
      answer,
      scope,
      ...(rule && { rule: ruleId(rule) }),
    });
  }

  #approved(
    call: WantedCall,
    args: Arguments,
    decision: Pick<CallDetails, 'decided' | 'rule' | 'flow'> & { answer: 'allow' | 'edit' },
  ): ApprovedCall {
    let used = false;
    const isSame = noteProgram(call.server);
    const run = async (options: RunOptions = {}): Promise<MadeCall> => {
      if (used) throw new Error('An approval holds for one call.');
      used = true;
      const { onProgress, signal, chat, meta, time = new CallTime() } = options;
      const hash = hashOf(args);
      let ended: (() => void) | undefined;
      const record = (outcome: string, size?: number) =>
        this.#record(call, {
          ...decision,
          arguments: hash,
          ms: Math.round(time.ms),
          outcome,
          ...(size !== undefined && { size }),
        });
      try {
        await listedAgain(call.server, 'tools', signal);
        this.#assertUnchanged({ ...call, args }, isSame());
        const wanted = {
          ...(signal && { signal }),
          ...(onProgress && { onProgress }),
          ...(meta && { meta }),
          time,
        };
        const { server, tool, trail, origin, client, app } = call;
        const send = sender(call, this.#services.open(server));
        const name = client?.name ?? app;
        ended = this.#services.trace()?.began({ server: server.id, tool: tool.name, args: hash, origin, name });
        // Error texts also come from the server.
        const result = await this.#services
          .make({ server, tool, args, chat, client, send }, wanted)
          .finally(() => isByHand(origin) || this.#services.flow().read(server, trail));
        record(result.isError ? 'isError' : 'ok', sizeOf(result));
        const problem = result.isError ? uncheckedPart(tool) : outputProblem(tool, result);
        return { args, result, problem, ms: time.ms };
      } catch (error) {
        record((error as Partial<HostError>).code ?? 'ERROR');
        throw error;
      } finally {
        ended?.();
      }
    };
    return { approved: true, args, run };
  }

  #isBlocked({ server, tool, args, isRequest }: WantedCall): boolean {
    const { pins } = this.#services;
    return isRequest ? pins.blocksUri(server, String(args.uri)) : pins.blocks(server, tool);
  }

  /** Throws if the server has replaced the tool since the approval, or its entry starts another program. */
  #assertUnchanged(call: WantedCall, isSameProgram: boolean): void {
    const { server, tool } = call;
    const now = server.catalog.tools.find(({ name }) => name === tool.name);
    const isSame = !now || now === tool || fingerprint(toolDefinition(now)) === fingerprint(toolDefinition(tool));
    if (isSame && isSameProgram && !this.#isBlocked(call)) return;
    throw new HostError({
      code: 'CHANGED',
      server: server.name,
      action: phrase('call {0}', visible(tool.name)),
      reason: phrase('the tool has changed since the call was approved'),
      remedy: phrase('Review the tool in the MCP view, then call it again.'),
    });
  }

  #record(call: WantedCall, more: CallDetails): void {
    const { server, tool, origin, client } = call;
    const by = client && { client: client.id };
    this.#services.audit.record({ type: 'call', server: server.id, tool: tool.name, origin, ...by, ...more });
  }
}

/** A call, or a request that is shown as one, as approvals decide on it. */
export function policyCall({ server, tool, args, origin, chat }: WantedCall, pins?: Pins): ToolCall {
  const { source, launch } = server.definition;
  return {
    serverId: server.id,
    serverName: server.name,
    plainId: plainId(server.definition),
    scope: source.scope,
    launch,
    tool,
    args,
    isChanged: pins?.toolState(server, tool) === 'changed',
    origin,
    ...(chat !== undefined && { chat }),
  };
}

/** Waits for a server that starts or starts on demand, and for its current lists. Failures are left to the request. */
export async function listedAgain(
  server: ServerConnection,
  kind: 'tools' | 'prompts',
  signal: AbortSignal | undefined,
): Promise<void> {
  const { status, cached, items } = server.catalog.list(kind);
  const isListed = !cached && (items.length > 0 || status !== 'loading');
  if (server.state.kind === 'ready' && isListed) return;
  try {
    await server.untilReady(signal);
    await server.catalog.loaded(kind);
  } catch {}
}

/** What carries out a call that was approved. */
const sender = ({ tool, isRequest }: WantedCall, requests: ServerRequests) =>
  isRequest
    ? async ({ uri }: Arguments, { signal }: CallOptions): Promise<CallToolResult> => {
        const { contents } = await requests.readResource(String(uri), signal);
        return { content: contents.map(resource => ({ type: 'resource', resource })) };
      }
    : requests.callTool.bind(requests, tool);

type CallDetails = Omit<
  Extract<Parameters<AuditPort['record']>[0], { type: 'call' }>,
  'type' | 'server' | 'tool' | 'origin' | 'client'
>;

const toolName = ({ server, tool }: WantedCall) => phrase('{0} on MCP server "{1}"', visible(tool.name), server.name);

const hashOf = (args: Arguments): string => attempt(() => fingerprint(args), 'too deep');

/** Size in characters. Measured for every call, so it counts only the large parts. */
function sizeOf({ content, structuredContent }: CallToolResult): number {
  const parts = content.map(part => {
    if (part.type === 'text') return part.text.length;
    if (part.type === 'image' || part.type === 'audio') return part.data.length;
    return jsonLength(part);
  });
  return parts.reduce((sum, length) => sum + length, jsonLength(structuredContent));
}

function jsonLength(value: unknown): number {
  if (value === undefined) return 0;
  return attempt(() => JSON.stringify(value).length, 0);
}
