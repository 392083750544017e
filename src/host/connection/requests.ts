import type {
  CallToolResult,
  Client,
  CompleteRequest,
  CompleteResult,
  ElicitRequestURLParams,
  GetPromptResult,
  LoggingLevel,
  Progress,
  ReadResourceResult,
  RequestOptions,
  Tool,
} from '@modelcontextprotocol/client';
import type { HostError, TimeLimit } from '../../base/errors';
import { type Phrase, phrase } from '../../base/phrase';
import { HEADER_MISMATCH, METHOD_NOT_FOUND, URL_ELICITATION_REQUIRED } from '../../base/protocolCodes';
import { visible } from '../../base/text';
import type { Catalog } from '../catalog/catalog';
import { isSameButHeaders } from '../catalog/parameterHeaders';
import type { ServerDefinition, ServerId } from '../definition/definition';
import type { CatalogKind } from '../sdk/listResults';
import type { ServerInfo } from '../sdk/serverInfo';
import type { TaskOptions } from '../sdk/taskState';
import { DEFAULT_REQUEST_MS } from './options';
import { ProgressGate } from './progressGate';
import { timerMs } from './readiness';
import type { RequestGate, SendOptions } from './requestGate';
import type { Session } from './session';
import type { Vitals } from './vitals';

const MAX_URLS = 5;
/** The most repetitions of one request, so that a server can't demand pages forever. */
const MAX_VISITS = 3;

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Called with the id of the task when the server turns the call into one. */
  onTask?: (taskId: string) => void;
  /** Goes along with the call: W3C trace context (spec 2026-07-28: basic#_meta). */
  meta?: Readonly<Record<string, string>> | undefined;
  /** Waits for the result of this earlier task instead of making a call. */
  taskId?: string;
}

/** What was tried when a request failed, for its error. */
export interface Tried {
  readonly action: Phrase | string;
  readonly limit: TimeLimit | undefined;
  readonly timeoutMs: number;
}

/** The capability that a list belongs to. */
export const capabilityOf = (kind: CatalogKind) => (kind === 'resourceTemplates' ? 'resources' : kind);

/**
 * Sends requests to a server, and offers those of the specification that features make, each with its limits and error texts.
 * A `ServerConnection` adds the sessions that they are sent on.
 */
export abstract class ServerRequests {
  abstract readonly definition: ServerDefinition;
  abstract readonly catalog: Pick<Catalog, 'load' | 'tools'>;
  abstract readonly info: ServerInfo | undefined;
  abstract readonly vitals: Vitals;
  /** Whether a request would be sent, now or after a while: the server is ready, is starting, or starts when it is used. */
  abstract readonly isUsable: boolean;

  /** Decides when a request may be sent. */
  protected abstract readonly gate: RequestGate;

  /** Set while the server is ready. */
  protected abstract readonly session: Session | undefined;

  /** Called when the server has answered. */
  protected abstract answered(): void;

  /** Handles a failed request on this session. @returns the error for its caller. */
  protected abstract failed(session: Session, error: unknown, tried: Tried): HostError;

  /** Whether the server is running again after it ended, or will be restarted. */
  protected abstract readonly comesBack: boolean;

  /** Resolves when the end of a server that left a request unanswered has been noticed. Its pipes close a moment earlier. */
  protected abstract endNoticed(): Promise<void>;

  /**
   * Whether an unanswered call is repeated: settings allow it, and the server restarts. Used only for tools that claim to be
   * safe to repeat, which is no proof.
   */
  protected abstract shouldReplay(tool: Tool): boolean;

  /** Asks the person to visit pages. True when the request that needs them should be repeated. */
  protected abstract visit(urls: readonly ElicitRequestURLParams[], signal: AbortSignal | undefined): Promise<boolean>;

  readonly #asked = new Set<{ readonly since: number }>();

  /**
   * The raw requests to a server, which ask no question and write no audit line. They are for the host itself and for the
   * policy that all other callers go through. Lint restricts who may use them.
   */
  static of(server: ServerRequests) {
    const request: typeof server.request = (...wanted) => server.request(...wanted);
    const callTool: typeof server.callTool = (...wanted) => server.callTool(...wanted);
    const readResource: typeof server.readResource = (...wanted) => server.readResource(...wanted);
    const getPrompt: typeof server.getPrompt = (...wanted) => server.getPrompt(...wanted);
    const complete: typeof server.complete = (...wanted) => server.complete(...wanted);
    return { request, callTool, readResource, getPrompt, complete };
  }

  /** Waits, and starts the server, as a request would. Resolves when a request could be sent, and rejects as it would. */
  untilReady(signal?: AbortSignal): Promise<void> {
    return this.request(phrase('start'), async () => undefined, { signal });
  }

  /** Time at which the newest unanswered tool call or prompt request was sent; undefined if there is none. */
  get askedAt(): number | undefined {
    const times = [...this.#asked].map(({ since }) => since);
    return times.length > 0 ? Math.max(...times) : undefined;
  }

  /** Unique key of the server in this window. */
  get id(): ServerId {
    return this.definition.id;
  }

  /** Configured name. */
  get name(): string {
    return this.definition.name;
  }

  /** Whether the ready server announces changes of this list (`listChanged`). */
  announces(kind: CatalogKind): boolean {
    return this.info?.capabilities[capabilityOf(kind)]?.listChanged === true;
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
  protected request<T>(
    action: Phrase | string,
    send: (client: Client, options: RequestOptions) => Promise<T>,
    options: SendOptions = {},
  ): Promise<T> {
    const limitMs = this.session?.isDebugged ? Number.POSITIVE_INFINITY : options.timeoutMs;
    const timeoutMs = timerMs(limitMs, this.definition.entry?.timeouts.requestMs ?? DEFAULT_REQUEST_MS);
    const tried = { action, limit: options.limit, timeoutMs };
    return this.gate.tryEnter(options.signal)
      ? this.#send(send, tried, options.signal)
      : this.gate.enter(action, timeoutMs, options).then(() => this.#send(send, tried, options.signal));
  }

  /** Sends a request that has passed the gate. */
  async #send<T>(
    send: (client: Client, options: RequestOptions) => Promise<T>,
    tried: Tried,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { gate } = this;
    try {
      gate.check(tried.action, signal);
      const session = this.session!;
      const timeout = tried.timeoutMs;
      try {
        const result = await send(session.client, signal ? { timeout, signal } : { timeout });
        this.answered();
        return result;
      } catch (error) {
        throw signal?.aborted ? gate.cancelled(tried.action) : this.failed(session, error, tried);
      }
    } finally {
      gate.leave();
    }
  }

  /**
   * Tells the server which log messages are wanted (spec: server/utilities/logging). In the legacy era this is a request; in
   * the modern era the level accompanies each request (`HostClient`).
   */
  protected async setLogLevel(level: LoggingLevel): Promise<void> {
    if (!this.info?.capabilities.logging || this.info.era !== 'legacy') return;
    await this.request(phrase('set its log level'), (client, options) => client.setLoggingLevel(level, options));
  }

  /** Reads a resource (spec: server/resources#reading-resources). */
  protected readResource(uri: string, signal?: AbortSignal): Promise<ReadResourceResult> {
    return this.request(
      phrase('read {0}', visible(uri, 300)),
      (client, options) => client.readResource({ uri }, { ...options, cacheMode: 'bypass' }),
      { signal },
    );
  }

  /** Gets the messages of a prompt (spec: server/prompts#getting-a-prompt). */
  protected getPrompt(name: string, args: Record<string, string>, signal?: AbortSignal): Promise<GetPromptResult> {
    return this.request(
      phrase('get the prompt {0}', visible(name)),
      (client, options) => this.#ask(() => client.getPrompt({ name, arguments: args }, options), signal),
      { signal },
    );
  }

  /**
   * Calls a tool (spec: server/tools#calling-tools). The limit is `timeouts.toolCallMs` since the last sign of life, ten times
   * that in all. A result with `isError` is a result, and so is one whose structured content does not fit: `outputProblem`.
   *
   * A call that is refused because the tool's parameter headers have changed was not carried out: it is repeated with the
   * same arguments and the headers of the new definition, unless more of the tool has changed. A call that the server left
   * unanswered when it ended fails; it is repeated once the server is back only if the setting `mcpHost.replaySafeCalls`
   * allows that and the tool says that it does no harm.
   *
   * `onProgress` gets growing values, at most ten times a second, and the last one before the call ends.
   *
   * A server may turn the call into a task (see `tasks.ts`), which is followed to its result as long as its `ttl` allows,
   * even across a reconnect. In the legacy era, a tool that declares `taskSupport` is always called as a task.
   */
  protected callTool(tool: Tool, args: Record<string, unknown>, options: CallOptions = {}): Promise<CallToolResult> {
    let { taskId } = options;
    const onTask = (id: string) => {
      taskId = id;
      options.onTask?.(id);
    };
    return this.#callOnce(tool, args, { ...options, onTask }).catch(async (error: HostError) => {
      if (isUnanswered(error)) await this.endNoticed();
      if (taskId !== undefined) return this.#followAgain(error, tool, args, { ...options, taskId });
      const again = options.signal?.aborted ? undefined : await this.#repeatable(error, tool);
      if (!again || options.signal?.aborted) throw error;
      return this.#callOnce(again, args, options).catch((second: HostError) => {
        // The reason for the end is more useful than the failed restart.
        throw second.code === 'NOT_READY' ? error : second;
      });
    });
  }

  /** Follows a task again after the server or its connection ended: the server may have kept the task. */
  #followAgain(
    error: HostError,
    tool: Tool,
    args: Record<string, unknown>,
    options: CallOptions,
  ): Promise<CallToolResult> {
    if (!isUnanswered(error) || !this.comesBack || options.signal?.aborted) throw error;
    return this.callTool(tool, args, options).catch((second: HostError) => {
      throw second.code === 'NOT_READY' ? error : second;
    });
  }

  /** The tool with which to repeat the call after this error; undefined if it must not be repeated. */
  async #repeatable(error: HostError, tool: Tool): Promise<Tool | undefined> {
    if (error.rpcCode === HEADER_MISMATCH) {
      await this.catalog.load('tools');
      const renewed = this.catalog.tools.find(({ name }) => name === tool.name);
      // Apart from headers, it must be the tool that was approved.
      return renewed && isSameButHeaders(renewed, tool) ? renewed : undefined;
    }
    return isUnanswered(error) && isRepeatable(tool) && this.shouldReplay(tool) ? tool : undefined;
  }

  #callOnce(
    tool: Tool,
    args: Record<string, unknown>,
    { signal, onProgress, onTask, taskId, meta }: CallOptions,
  ): Promise<CallToolResult> {
    const timeoutMs = this.definition.entry?.timeouts.toolCallMs;
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
              ...(isTaskTool(tool, this.info) && { task: {} }),
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
        return this.#ask(call, signal, tool.name);
      },
      { signal, timeoutMs, limit: 'toolCallMs' },
    );
    return progress ? called.finally(() => progress.end()) : called;
  }

  /**
   * Sends a person's request, and repeats it after they visited pages that the server requires first. `tool` is the name for
   * a tool call.
   */
  async #ask<T extends object>(send: () => Promise<T>, signal: AbortSignal | undefined, tool?: string): Promise<T> {
    const asked = { since: Date.now() };
    const started = performance.now();
    let failed = true;
    this.#asked.add(asked);
    try {
      for (let visits = 0; ; visits++) {
        try {
          const result = await send();
          failed = 'isError' in result && result.isError === true;
          return result;
        } catch (error) {
          const urls = requiredUrls(error);
          if (urls.length === 0 || visits >= MAX_VISITS || !(await this.visit(urls, signal))) throw error;
        }
      }
    } finally {
      if (tool !== undefined && !signal?.aborted) this.vitals.called(tool, performance.now() - started, failed);
      this.#asked.delete(asked);
    }
  }

  /**
   * Suggests values for an argument (spec: server/utilities/completion). Empty if the server does not support it: until
   * 2024-11-05 there was no capability for it (`Session`), so that only its answer says so.
   */
  protected async complete(
    params: CompleteRequest['params'],
    signal?: AbortSignal,
  ): Promise<CompleteResult['completion']> {
    if (this.info ? !this.info.capabilities.completions : !this.isUsable) return { values: [] };
    const { completion } = await this.request(
      phrase('complete "{0}"', visible(params.argument.name)),
      async (client, options) => (this.info?.capabilities.completions ? client.complete(params, options) : NOTHING),
      { signal },
    ).catch((error: HostError) => {
      if (error.rpcCode !== METHOD_NOT_FOUND) throw error;
      // No further requests: the server does not support it.
      delete this.info?.capabilities.completions;
      return NOTHING;
    });
    return completion;
  }
}

const NOTHING: CompleteResult = { completion: { values: [] } };

const isUnanswered = ({ code }: HostError) => code === 'CLOSED' || code === 'EXITED';

/**
 * Whether a call requests a task. Some tools require it, and long calls then escape the time limit of a call. In the modern
 * era the server decides.
 */
function isTaskTool({ execution }: Tool, info: ServerInfo | undefined): boolean {
  const asksForTask = execution?.taskSupport === 'required' || execution?.taskSupport === 'optional';
  return asksForTask && info?.era === 'legacy' && info.capabilities.tasks?.requests?.tools?.call !== undefined;
}

/** Whether a tool says that calling it twice has no more effect than calling it once. */
function isRepeatable({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}

/** The pages that a refused request requires; empty for any other error. */
function requiredUrls(error: unknown): ElicitRequestURLParams[] {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== URL_ELICITATION_REQUIRED || !Array.isArray(data?.elicitations)) return [];
  return data.elicitations.filter(isUrlRequest).slice(0, MAX_URLS);
}

function isUrlRequest(value: Partial<ElicitRequestURLParams> | null): boolean {
  const { url, message, elicitationId } = value ?? {};
  return [url, message, elicitationId].every(text => typeof text === 'string');
}
