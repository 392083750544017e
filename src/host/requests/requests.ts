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
import { visible } from '../../base/text';
import type { Catalog } from '../catalog/catalog';
import type { CatalogKind } from '../catalog/catalogList';
import { isSameButHeaders } from '../catalog/parameterHeaders';
import type { ServerInfo } from '../connection/session';
import type { ServerDefinition, ServerId } from '../definition';
import type { TaskOptions } from '../tasks/taskState';
import type { Vitals } from '../vitals/vitals';
import { ProgressGate } from './progressGate';
import { sendAfterVisits } from './requiredUrls';

/** The arguments did not go into the headers that the server expects (spec: basic/transports/streamable-http, 2026-07-28). */
const HEADER_MISMATCH = -32020;

export interface SendOptions {
  signal?: AbortSignal | undefined;
  /** Default: `timeouts.requestMs`. */
  timeoutMs?: number | undefined;
  /** Which limit of the settings entry that is. Default: `requestMs`. */
  limit?: TimeLimit;
  /** False: fails at once when the server is not ready. Default: waits while it is starting, and starts one on demand. */
  waits?: boolean;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** The server works on the call as a task with this id, by which it can be followed later as well. */
  onTask?: (taskId: string) => void;
  /** Calls nothing: waits for the result of this task of an earlier call. */
  taskId?: string;
}

/** The capability that a list belongs to. */
export const capabilityOf = (kind: CatalogKind) => (kind === 'resourceTemplates' ? 'resources' : kind);

/** The requests of the specification that features make of a server, each with its limits and its words for errors. */
export abstract class ServerRequests {
  abstract readonly definition: ServerDefinition;
  abstract readonly catalog: Pick<Catalog, 'load' | 'tools'>;
  abstract readonly info: ServerInfo | undefined;
  abstract readonly vitals: Vitals;
  /** Whether a request would be sent, now or after a while: it is ready, is starting, or starts when it is used. */
  abstract readonly isUsable: boolean;

  /** Whether it is there again after it ended, or will be by itself. */
  protected abstract readonly comesBack: boolean;

  /**
   * Whether a call that went unanswered is made again: settings allow it, and the server comes back. Asked only for a tool
   * that says that this is safe, which is the server's word, not a proof.
   */
  protected abstract shouldReplay(tool: Tool): boolean;

  /** Has the person visit pages. True when the request that needs them is to be made again. */
  protected abstract visit(urls: readonly ElicitRequestURLParams[], signal: AbortSignal | undefined): Promise<boolean>;

  readonly #asked = new Set<{ readonly since: number }>();

  /** When the newest of the tool calls and prompts that wait for their answers was sent; undefined when none does. */
  get askedAt(): number | undefined {
    const times = [...this.#asked].map(({ since }) => since);
    return times.length > 0 ? Math.max(...times) : undefined;
  }

  /** Unique key of the server in this window. */
  get id(): ServerId {
    return this.definition.id;
  }

  /** As configured. */
  get name(): string {
    return this.definition.name;
  }

  /** Whether the ready server says when a list of this kind has changed. */
  announces(kind: CatalogKind): boolean {
    return this.info?.capabilities[capabilityOf(kind)]?.listChanged === true;
  }

  /**
   * Runs one request, when the server is ready. `action` completes "could not …" in its errors.
   * Rejects with a `HostError`: `NOT_READY`, `BUSY`, `TIMEOUT`, `CANCELLED`, `PROTOCOL` and so on.
   */
  abstract request<T>(
    action: Phrase | string,
    send: (client: Client, options: RequestOptions) => Promise<T>,
    options?: SendOptions,
  ): Promise<T>;

  /**
   * Says which log messages are wanted (spec: server/utilities/logging). In the legacy era the level is a request; in the
   * modern one it rides on each request (`HostClient`).
   */
  async setLogLevel(level: LoggingLevel): Promise<void> {
    if (!this.info?.capabilities.logging || this.info.era !== 'legacy') return;
    await this.request(phrase('set its log level'), (client, options) => client.setLoggingLevel(level, options));
  }

  /** Reads a resource (spec: server/resources#reading-resources). */
  readResource(uri: string, signal?: AbortSignal): Promise<ReadResourceResult> {
    return this.request(
      phrase('read {0}', visible(uri, 300)),
      (client, options) => client.readResource({ uri }, { ...options, cacheMode: 'bypass' }),
      { signal },
    );
  }

  /** Gets the messages of a prompt (spec: server/prompts#getting-a-prompt). */
  getPrompt(name: string, args: Record<string, string>, signal?: AbortSignal): Promise<GetPromptResult> {
    return this.request(
      phrase('get the prompt {0}', visible(name)),
      (client, options) => this.#ask(() => client.getPrompt({ name, arguments: args }, options), signal),
      { signal },
    );
  }

  /**
   * Calls a tool (spec: server/tools#calling-tools). Structured content is checked against the tool's output schema. The
   * limit is `timeouts.toolCallMs` since the last sign of life, ten times that in all. A result with `isError` is a result.
   *
   * A call that is refused because the tool has other parameter headers by now was not carried out: it is made once more,
   * with the same arguments and the headers of the tool's new definition, unless more of the tool has changed. A call that the server left unanswered when it
   * ended fails; it is made once more, when the server is back, only if the setting `mcpHost.replaySafeCalls` allows it and
   * the tool says that this does no harm.
   *
   * `onProgress` gets values that grow, ten times a second at most, and the last one before the call ends.
   *
   * A server may make a task of the call (see `tasks.ts`), which is followed to its result as long as its `ttl` allows, also
   * when the server is connected anew meanwhile. In the legacy era a tool that says `taskSupport` is always called as one.
   */
  callTool(tool: Tool, args: Record<string, unknown>, options: CallOptions = {}): Promise<CallToolResult> {
    let { taskId } = options;
    const onTask = (id: string) => {
      taskId = id;
      options.onTask?.(id);
    };
    return this.#callOnce(tool, args, { ...options, onTask }).catch(async (error: HostError) => {
      if (taskId !== undefined) return this.#followAgain(error, tool, args, { ...options, taskId });
      const again = options.signal?.aborted ? undefined : await this.#repeatable(error, tool);
      if (!again || options.signal?.aborted) throw error;
      return this.#callOnce(again, args, options).catch((second: HostError) => {
        // That the server did not come back says less than how it went.
        throw second.code === 'NOT_READY' ? error : second;
      });
    });
  }

  /** The server ended, or the connection to it: it may have kept the task. */
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

  /** The tool as it is to be called again after this error; undefined when it is not to be. */
  async #repeatable(error: HostError, tool: Tool): Promise<Tool | undefined> {
    if (error.rpcCode === HEADER_MISMATCH) {
      await this.catalog.load('tools');
      const renewed = this.catalog.tools.find(({ name }) => name === tool.name);
      // In all else it must be the tool that was approved.
      return renewed && isSameButHeaders(renewed, tool) ? renewed : undefined;
    }
    return isUnanswered(error) && isRepeatable(tool) && this.shouldReplay(tool) ? tool : undefined;
  }

  #callOnce(
    tool: Tool,
    args: Record<string, unknown>,
    { signal, onProgress, onTask, taskId }: CallOptions,
  ): Promise<CallToolResult> {
    const timeoutMs = this.definition.entry?.timeouts.toolCallMs;
    const progress = onProgress && new ProgressGate(onProgress);
    const called = this.request(
      phrase('call {0}', visible(tool.name)),
      (client, options) => {
        const asTask: TaskOptions = { ...(onTask && { onTask }), ...(taskId !== undefined && { taskId }) };
        const call = () =>
          client.callTool(
            { name: tool.name, arguments: args, ...(isTaskTool(tool, this.info) && { task: {} }) },
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

  /** Sends what a person asked for, a tool call with its name; again after pages that the server wants them to visit first. */
  async #ask<T extends object>(send: () => Promise<T>, signal: AbortSignal | undefined, tool?: string): Promise<T> {
    const asked = { since: Date.now() };
    const started = performance.now();
    let failed = true;
    this.#asked.add(asked);
    try {
      const result = await sendAfterVisits(send, urls => this.visit(urls, signal));
      failed = 'isError' in result && result.isError === true;
      return result;
    } finally {
      if (tool !== undefined && !signal?.aborted) this.vitals.called(tool, performance.now() - started, failed);
      this.#asked.delete(asked);
    }
  }

  /** Suggests values for an argument (spec: server/utilities/completion). Empty where the server can not. */
  async complete(params: CompleteRequest['params'], signal?: AbortSignal): Promise<CompleteResult['completion']> {
    if (this.info ? !this.info.capabilities.completions : !this.isUsable) return { values: [] };
    const { completion } = await this.request(
      phrase('complete "{0}"', visible(params.argument.name)),
      async (client, options) =>
        client.getServerCapabilities()?.completions ? client.complete(params, options) : { completion: { values: [] } },
      { signal },
    );
    return completion;
  }
}

const isUnanswered = ({ code }: HostError) => code === 'CLOSED' || code === 'EXITED';

/**
 * Whether a call is to ask for a task: only so can a tool be called that requires it, and one that may take long is not
 * bound to the time limit of a call then. In the modern era the server decides.
 */
function isTaskTool({ execution }: Tool, info: ServerInfo | undefined): boolean {
  const asksForTask = execution?.taskSupport === 'required' || execution?.taskSupport === 'optional';
  return asksForTask && info?.era === 'legacy' && info.capabilities.tasks?.requests?.tools?.call !== undefined;
}

/** Whether a tool says that calling it twice does no more than calling it once. */
function isRepeatable({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
