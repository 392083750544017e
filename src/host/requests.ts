import type {
  CallToolResult,
  Client,
  CompleteRequest,
  CompleteResult,
  ElicitRequestURLParams,
  GetPromptResult,
  Progress,
  ReadResourceResult,
  RequestOptions,
  Tool,
} from '@modelcontextprotocol/client';
import type { Catalog } from './catalog';
import type { ServerDefinition } from './definition';
import { sendAfterVisits } from './elicitation/requiredUrls';
import type { HostError } from './errors';
import { isSameButHeaders } from './parameterHeaders';
import { ProgressGate } from './progressGate';
import type { ServerInfo } from './session';
import { visible } from './text';

/** The arguments did not go into the headers that the server expects (spec: basic/transports/streamable-http, 2026-07-28). */
const HEADER_MISMATCH = -32020;

export interface SendOptions {
  signal?: AbortSignal | undefined;
  /** Default: `timeouts.requestMs`. */
  timeoutMs?: number | undefined;
  /** False: fails at once when the server is not ready. Default: waits while it is starting, and starts one on demand. */
  waits?: boolean;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/** The requests of the specification that features make of a server, each with its limits and its words for errors. */
export abstract class ServerRequests {
  abstract readonly definition: ServerDefinition;
  abstract readonly catalog: Pick<Catalog, 'load' | 'tools'>;
  abstract readonly info: ServerInfo | undefined;
  /** Whether a request would be sent, now or after a while: it is ready, is starting, or starts when it is used. */
  abstract readonly isUsable: boolean;

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

  /**
   * Runs one request, when the server is ready. `action` completes "could not …" in its errors.
   * Rejects with a `HostError`: `NOT_READY`, `BUSY`, `TIMEOUT`, `CANCELLED`, `PROTOCOL` and so on.
   */
  abstract request<T>(
    action: string,
    send: (client: Client, options: RequestOptions) => Promise<T>,
    options?: SendOptions,
  ): Promise<T>;

  /** Reads a resource (spec: server/resources#reading-resources). */
  readResource(uri: string, signal?: AbortSignal): Promise<ReadResourceResult> {
    return this.request(
      `read ${visible(uri, 300)}`,
      (client, options) => client.readResource({ uri }, { ...options, cacheMode: 'bypass' }),
      { signal },
    );
  }

  /** Gets the messages of a prompt (spec: server/prompts#getting-a-prompt). */
  getPrompt(name: string, args: Record<string, string>, signal?: AbortSignal): Promise<GetPromptResult> {
    return this.request(
      `get the prompt ${visible(name)}`,
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
   */
  callTool(tool: Tool, args: Record<string, unknown>, options: CallOptions = {}): Promise<CallToolResult> {
    return this.#callOnce(tool, args, options).catch(async (error: HostError) => {
      const again = options.signal?.aborted ? undefined : await this.#repeatable(error, tool);
      if (!again || options.signal?.aborted) throw error;
      return this.#callOnce(again, args, options).catch((second: HostError) => {
        // That the server did not come back says less than how it went.
        throw second.code === 'NOT_READY' ? error : second;
      });
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
    const unanswered = error.code === 'CLOSED' || error.code === 'EXITED';
    return unanswered && isRepeatable(tool) && this.shouldReplay(tool) ? tool : undefined;
  }

  #callOnce(tool: Tool, args: Record<string, unknown>, { signal, onProgress }: CallOptions): Promise<CallToolResult> {
    const timeoutMs = this.definition.entry?.timeouts.toolCallMs;
    const progress = onProgress && new ProgressGate(onProgress);
    const called = this.request(
      `call ${visible(tool.name)}`,
      (client, options) =>
        this.#ask(
          () =>
            client.callTool(
              { name: tool.name, arguments: args },
              {
                ...options,
                toolDefinition: tool,
                resetTimeoutOnProgress: true,
                maxTotalTimeout: (timeoutMs ?? 0) * 10,
                onprogress: update => progress?.update(update),
              },
            ),
          signal,
        ),
      { signal, timeoutMs },
    );
    return progress ? called.finally(() => progress.end()) : called;
  }

  /** Sends what a person asked for, again after pages that the server wants them to visit first. */
  async #ask<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const asked = { since: Date.now() };
    this.#asked.add(asked);
    try {
      return await sendAfterVisits(send, urls => this.visit(urls, signal));
    } finally {
      this.#asked.delete(asked);
    }
  }

  /** Suggests values for an argument (spec: server/utilities/completion). Empty where the server can not. */
  async complete(params: CompleteRequest['params'], signal?: AbortSignal): Promise<CompleteResult['completion']> {
    if (this.info ? !this.info.capabilities.completions : !this.isUsable) return { values: [] };
    const { completion } = await this.request(
      `complete "${visible(params.argument.name)}"`,
      async (client, options) =>
        client.getServerCapabilities()?.completions ? client.complete(params, options) : { completion: { values: [] } },
      { signal },
    );
    return completion;
  }
}

/** Whether a tool says that calling it twice does no more than calling it once. */
function isRepeatable({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
