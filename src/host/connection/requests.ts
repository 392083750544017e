import { setTimeout as delay } from 'node:timers/promises';
import type {
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  LoggingLevel,
  ReadResourceResult,
  Request,
  RequestOptions,
  Tool,
} from '@modelcontextprotocol/client';
import { type HostError, METHOD_NOT_FOUND, type TimeLimit } from '../../base/errors';
import { type Disposable, until } from '../../base/events';
import { MAX_TIMER_MS } from '../../base/numberText';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { Catalog } from '../catalog/catalog';
import { isSameButHeaders } from '../catalog/tools';
import { saidOf } from '../reading/answers';
import type { HostClient } from '../sdk/hostClient';
import { ProgressGate } from '../sdk/progress';
import { wantsLegacy } from '../sdk/saidInWords';
import type { TaskOptions } from '../sdk/sentRequests';
import type { ServerInfo } from '../sdk/serverInfo';
import type { GuardedPorts } from '../secrets/redactor';
import type { Subscriptions } from '../subscriptions/subscriptions';
import { WAITS_MS } from '../transport/backoff';
import type { ConnectionLog } from './connectionLog';
import { type ConnectionOptions, DEFAULT_REQUEST_MS, limitsOf } from './connectionOptions';
import { RESTART_AS_LEGACY } from './eraMemory';
import { isReplayable, isTaskTool, requiredUrls, resendOf, sendAgain } from './reissue';
import {
  type CallOptions,
  type GatedConnection,
  type PersonsRequest,
  RequestGate,
  type SendOptions,
  type StreamOptions,
} from './requestGate';
import { isRunning, timerMs } from './serverState';
import type { Session } from './session';
import { type PendingRequest, StreamedContent } from './streamedContent';
import type { Vitals } from './vitals';

/** The most repetitions of one request, so that a server can't demand pages forever. */
const MAX_VISITS = 3;
/** Longer than a program may live on without its pipes (`StdioTransport`). */
const END_NOTICED_MS = 2_000;

export interface RequestAttempt {
  readonly action: Phrase | string;
  readonly limit: TimeLimit | undefined;
  readonly timeoutMs: number;
}

interface RequestedServer extends GatedConnection {
  readonly catalog: Pick<Catalog, 'load' | 'tools'>;
  readonly info: ServerInfo | undefined;
  readonly vitals: Vitals;
  readonly isUsable: boolean;
}

/** The sessions on which requests are sent, and what decides how they are. */
interface RequestServices {
  readonly ports: Pick<GuardedPorts, 'elicitation'>;
  readonly options: ConnectionOptions;
  readonly log: Pick<ConnectionLog, 'error' | 'write' | 'leftOut' | 'withRemedy'>;
  readonly subscriptions: Pick<Subscriptions, 'add'>;
  /** Set while the server is ready. */
  session(): Session | undefined;
  answered(): void;
  /** Handles a failed request on this session. @returns the error for its caller. */
  failed(session: Session, error: unknown, tried: RequestAttempt): HostError;
}

/**
 * The requests to one server, without questions and without lines in the audit log: how one is sent, and those of the
 * specification that features make, each with its limits and the wording of its errors. Only `McpHost.requests` leads here: the
 * owner of a host gives that to the policy through which all others make their requests. `this` is declared, so that no method
 * can be called without its object.
 */
export class ServerRequests {
  readonly gate: RequestGate;
  readonly streamed: StreamedContent;
  readonly #pending = new Set<PendingRequest>();

  constructor(
    private readonly server: RequestedServer,
    private readonly services: RequestServices,
  ) {
    const { log, options } = services;
    this.streamed = new StreamedContent(log, this.#pending);
    this.gate = new RequestGate(server, problem => log.error(problem), limitsOf(options).requestsInFlight);
  }

  /** Time at which the newest unanswered tool call or prompt request was sent; undefined if there is none. */
  get latestRequestAt(): number | undefined {
    return [...this.#pending].at(-1)?.since;
  }

  /**
   * Runs one request on the server. `action` completes "could not …" in its errors.
   *
   * A server that is used on demand is started by its first request, which waits for it as long as `timeouts.startMs`. A
   * request to one that is starting or reconnecting waits until that is over, at most as long as its own time limit: who
   * asks just after the window was opened, or while a server is restarted, is answered a little later. The same bounds the
   * wait for a turn when the server has too many requests in flight. Only then does the time limit of the request itself
   * begin. Rejects with a `HostError`: `NOT_READY`, `BUSY`, `TIMEOUT` after `timeouts.requestMs`, `CANCELLED`, `PROTOCOL`
   * and so on.
   */
  request<T>(
    this: ServerRequests,
    action: Phrase | string,
    send: (client: HostClient, options: RequestOptions) => Promise<T>,
    options: SendOptions = {},
  ): Promise<T> {
    const limitMs = this.services.session()?.isDebugged ? Number.POSITIVE_INFINITY : options.timeoutMs;
    const timeoutMs = timerMs(limitMs, this.server.definition.entry?.timeouts.requestMs ?? DEFAULT_REQUEST_MS);
    const tried = { action, limit: options.limit, timeoutMs };
    const { signal, waits, isRead = false } = options;
    const once = (sent: typeof send) =>
      this.gate.tryEnter(signal)
        ? this.#send(sent, tried, signal)
        : this.gate.enter(action, timeoutMs, options).then(() => this.#send(sent, tried, signal));
    if (!isRead) return once(send);
    const clients = new Set<HostClient>();
    const sendOnce = () =>
      once((client, given) => {
        clients.add(client);
        return send(client, given);
      });
    const ready = async (error: HostError, attempts: number) => {
      const resend = resendOf('read', error);
      // At most once in another session, as the request itself may be what ends them.
      if (!resend || clients.size > 1 || attempts >= WAITS_MS.length) return false;
      if (resend === 'afterPause') await delay(WAITS_MS[attempts], undefined, signal && { signal }).catch(() => {});
      return !signal?.aborted && (waits === false ? this.server.state.kind === 'ready' : this.#comesBack);
    };
    return sendAgain({ send: sendOnce, ready }).catch(last => {
      throw signal?.aborted ? this.gate.cancelled(action) : last;
    });
  }

  /** Sends a request that has passed the gate. */
  async #send<T>(
    send: (client: HostClient, options: RequestOptions) => Promise<T>,
    tried: RequestAttempt,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { gate } = this;
    try {
      gate.check(tried.action, signal);
      const session = this.services.session()!;
      const timeout = tried.timeoutMs;
      session.requestBegan();
      try {
        const result = await send(session.client, signal ? { timeout, signal } : { timeout });
        this.services.answered();
        return result;
      } catch (error) {
        throw signal?.aborted ? gate.cancelled(tried.action) : this.services.failed(session, error, tried);
      } finally {
        session.requestEnded();
      }
    } finally {
      gate.leave();
    }
  }

  /**
   * Keeps a request open whose answer only ends a stream of notifications (SEP-3415, `events/stream`). It takes no turn, so that
   * no other request waits for it. Resolves when the server ends the stream; rejects with a `HostError`, which is a `TIMEOUT`
   * when the server was silent for `idleMs`.
   */
  async stream(this: ServerRequests, action: Phrase, request: Request, options: StreamOptions): Promise<void> {
    const { signal, idleMs, notified } = options;
    this.gate.check(action, signal);
    const session = this.services.session()!;
    const timeoutMs = session.isDebugged ? MAX_TIMER_MS : idleMs;
    try {
      await session.client.stream(request, { timeout: timeoutMs, signal }, notified);
    } catch (error) {
      if (signal.aborted) throw this.gate.cancelled(action);
      throw this.services.failed(session, error, { action, limit: undefined, timeoutMs });
    }
  }

  /** Tells which log messages are wanted (server/utilities/logging): a request, or with each one in the modern era. */
  async setLogLevel(level: LoggingLevel): Promise<void> {
    if (!this.server.info?.capabilities.logging || this.server.info.era !== 'legacy') return;
    await this.request(phrase('set its log level'), (client, options) => client.setLoggingLevel(level, options));
  }

  /** Reads a resource (spec: server/resources#reading-resources). */
  readResource(this: ServerRequests, uri: string, signal?: AbortSignal): Promise<ReadResourceResult> {
    return this.request(
      phrase('read {0}', visible(uri, 300)),
      (client, options) => client.readResource({ uri }, { ...options, cacheMode: 'bypass' }),
      { signal, isRead: true },
    );
  }

  /** Follows a resource until the handle is disposed (spec: server/resources#subscriptions). */
  subscribe(uri: string): Disposable {
    return this.services.subscriptions.add(uri);
  }

  /** Gets the messages of a prompt (spec: server/prompts#getting-a-prompt). */
  getPrompt(
    this: ServerRequests,
    name: string,
    args: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<GetPromptResult> {
    return this.request(
      phrase('get the prompt {0}', visible(name)),
      (client, options) => this.#whilePending(() => client.getPrompt({ name, arguments: args }, options), { signal }),
      { signal, isRead: true },
    );
  }

  /**
   * Calls a tool (spec: server/tools#calling-tools). The limit is `timeouts.toolCallMs` since the last sign of life, ten times
   * that in all. A result with `isError` is a result, and so is one whose structured content does not fit: `outputProblem`.
   *
   * A call that is refused because the tool's parameter headers have changed was not carried out: it is repeated with the
   * same arguments and the headers of the new definition, unless more of the tool has changed. Nor was one that is refused
   * because the server has forgotten the session: it is repeated in a new one. A call whose answer was lost fails; it is
   * repeated only if the setting `mcpHost.replaySafeCalls` allows that and the tool says that it does no harm.
   *
   * `onProgress` gets growing values, at most 20 a second, and the last one before the call ends.
   *
   * A server may turn the call into a task (see `tasks.ts`), which is followed to its result as long as its `ttl` allows,
   * even across a reconnect. In the legacy era, a tool that declares `taskSupport` is always called as a task.
   */
  callTool(
    this: ServerRequests,
    tool: Tool,
    args: Record<string, unknown>,
    options: CallOptions = {},
  ): Promise<CallToolResult> {
    let { taskId } = options;
    const onTask = (id: string) => {
      taskId = id;
      options.onTask?.(id);
    };
    const { signal } = options;
    let sent = tool;
    const ready = async (error: HostError, attempts: number) => {
      const resend = resendOf(taskId === undefined ? 'call' : 'task', error);
      if (!resend || signal?.aborted || (taskId === undefined && attempts > 0)) return false;
      if (resend === 'ifSafe' && !isReplayable(tool, this.services.options)) return false;
      if (resend === 'ifSafe' || resend === 'afterEnd') await this.#untilEnded();
      const again = resend === 'asRenewed' ? await this.#renewed(tool) : tool;
      if (!again || signal?.aborted || !this.#comesBack) return false;
      sent = again;
      if (resend === 'ifSafe')
        this.services.log.write('notice', `${visible(tool.name)} is called again, as the tool says it may be`);
      return true;
    };
    const send = () => this.#callOnce(sent, args, { ...options, onTask, ...(taskId !== undefined && { taskId }) });
    return sendAgain({ send, ready });
  }

  /** Waits for the end of a server whose pipes have just closed. One that goes on is asked again after a while. */
  #untilEnded(): Promise<void> {
    const { server } = this;
    return until(() => server.state.kind !== 'ready', [server.onDidChangeState], { limitMs: END_NOTICED_MS });
  }

  /** The tool as it is listed now. Undefined unless only its headers have changed: in all else it must be what was approved. */
  async #renewed(tool: Tool): Promise<Tool | undefined> {
    await this.server.catalog.load('tools');
    const renewed = this.server.catalog.tools.find(({ name }) => name === tool.name);
    return renewed && isSameButHeaders(renewed, tool) ? renewed : undefined;
  }

  /** Whether the server has come back after it ended, or will do so automatically. */
  get #comesBack(): boolean {
    return isRunning(this.server.state.kind);
  }

  #callOnce(
    tool: Tool,
    args: Record<string, unknown>,
    { signal, onProgress, onTask, time, taskId, meta }: CallOptions,
  ): Promise<CallToolResult> {
    const timeoutMs = this.server.definition.entry?.timeouts.toolCallMs;
    const progress = onProgress && new ProgressGate(onProgress);
    const called = this.request(
      phrase('call {0}', visible(tool.name)),
      (client, options) => {
        const asTask: TaskOptions = { ...(onTask && { onTask }), ...(taskId !== undefined && { taskId }) };
        const call = () =>
          client.callTool(
            {
              name: tool.name,
              arguments: args,
              ...(isTaskTool(tool, this.server.info) && { task: {} }),
              ...(meta && { _meta: { ...meta } }),
            },
            {
              ...options,
              ...asTask,
              toolDefinition: tool,
              resetTimeoutOnProgress: true,
              maxTotalTimeout: (timeoutMs ?? 0) * 10,
              onprogress: update => progress?.update(update),
            },
          );
        const clock = client.deadlines.startClock();
        return this.#whilePending(call, { signal, tool: tool.name, clock }, failed => {
          const { ms } = clock;
          client.deadlines.stop(clock);
          if (time) time.ofServer = ms;
          if (!signal?.aborted) this.server.vitals.called(tool.name, ms, failed);
        });
      },
      { signal, timeoutMs, limit: 'toolCallMs' },
    );
    return progress ? called.finally(() => progress.end()) : called;
  }

  /** Sends a person's request, and repeats it after they visited pages that the server requires first. */
  async #whilePending<T extends object>(
    send: () => Promise<T>,
    { signal, tool, clock }: PersonsRequest,
    ended?: (failed: boolean) => void,
  ): Promise<T> {
    const asked: PendingRequest = { since: Date.now(), tool };
    let failed = true;
    this.#pending.add(asked);
    try {
      for (let visits = 0; ; visits++) {
        try {
          const result = await send();
          failed = 'isError' in result && result.isError === true;
          const whole = this.streamed.completed(result, asked);
          return failed ? (this.#withRemedy(whole as unknown as CallToolResult) as unknown as T) : whole;
        } catch (error) {
          if (error instanceof Error) this.#turnsLegacy(saidOf(error));
          const urls = requiredUrls(error);
          if (urls.length === 0 || visits >= MAX_VISITS) throw error;
          clock?.hold();
          const visited = this.services.ports.elicitation?.visit(this.server.definition, urls, signal);
          if (!(await visited?.finally(() => clock?.release()))) throw error;
        }
      }
    } finally {
      ended?.(failed);
      this.#pending.delete(asked);
      this.streamed.ended(asked);
    }
  }

  #withRemedy(result: CallToolResult): CallToolResult {
    const texts = result.content.flatMap(block => (block.type === 'text' ? [block.text] : []));
    return texts.some(text => this.#turnsLegacy(text))
      ? this.services.log.withRemedy(result, RESTART_AS_LEGACY)
      : result;
  }

  /** Whether the next session is of the legacy era, because this one's server has said that only there its tools may ask. */
  #turnsLegacy(said: string): boolean {
    const session = this.services.session();
    if (session?.circumstances.era !== 'modern' || !wantsLegacy(said)) return false;
    session.speakLegacyNext();
    return true;
  }

  /**
   * Suggests values for an argument (spec: server/utilities/completion). Empty if the server does not support it: until
   * 2024-11-05 there was no capability for it (`Session`), so that only its answer shows support.
   */
  async complete(
    this: ServerRequests,
    params: CompleteRequest['params'],
    signal?: AbortSignal,
  ): Promise<CompleteResult['completion']> {
    if (this.server.info ? !this.server.info.capabilities.completions : !this.server.isUsable) return { values: [] };
    const { completion } = await this.request(
      phrase('complete "{0}"', visible(params.argument.name)),
      async (client, options) =>
        this.server.info?.capabilities.completions ? client.complete(params, options) : NOTHING,
      { signal, isRead: true },
    ).catch((error: HostError) => {
      if (error.rpcCode !== METHOD_NOT_FOUND) throw error;
      // It need not be asked again.
      delete this.server.info?.capabilities.completions;
      return NOTHING;
    });
    return completion;
  }
}

const NOTHING: CompleteResult = { completion: { values: [] } };
