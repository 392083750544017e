import type {
  CallToolResult,
  Client,
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  Progress,
  ReadResourceResult,
  RequestOptions,
  Tool,
} from '@modelcontextprotocol/client';
import type { Catalog } from './catalog';
import type { ServerDefinition } from './definition';
import type { HostError } from './errors';
import type { ServerInfo } from './session';
import { visible } from './text';

/** The arguments did not go into the headers that the server expects (spec: basic/transports/streamable-http, 2026-07-28). */
const HEADER_MISMATCH = -32020;

export interface SendOptions {
  signal?: AbortSignal | undefined;
  /** Default: `timeouts.requestMs`. */
  timeoutMs?: number | undefined;
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

  /**
   * Runs one request on the ready server. `action` completes "could not …" in its errors.
   * Rejects with a `HostError`: `NOT_READY`, `TIMEOUT`, `CANCELLED`, `PROTOCOL` and so on.
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
      (client, options) => client.getPrompt({ name, arguments: args }, options),
      { signal },
    );
  }

  /**
   * Calls a tool (spec: server/tools#calling-tools). Structured content is checked against the tool's output schema. The
   * limit is `timeouts.toolCallMs` since the last sign of life, ten times that in all. A result with `isError` is a result.
   *
   * A call that is refused because the tool has other parameter headers by now was not carried out: it is made once more,
   * with the same arguments and the headers of the tool's new definition.
   */
  async callTool(tool: Tool, args: Record<string, unknown>, options: CallOptions = {}): Promise<CallToolResult> {
    try {
      return await this.#call(tool, args, options);
    } catch (error) {
      if ((error as HostError).rpcCode !== HEADER_MISMATCH) throw error;
      await this.catalog.load('tools');
      const renewed = this.catalog.tools.find(({ name }) => name === tool.name);
      if (!renewed || options.signal?.aborted) throw error;
      return this.#call(renewed, args, options);
    }
  }

  #call(tool: Tool, args: Record<string, unknown>, { signal, onProgress }: CallOptions): Promise<CallToolResult> {
    const timeoutMs = this.definition.entry?.timeouts.toolCallMs;
    return this.request(
      `call ${visible(tool.name)}`,
      (client, options) =>
        client.callTool(
          { name: tool.name, arguments: args },
          {
            ...options,
            toolDefinition: tool,
            resetTimeoutOnProgress: true,
            maxTotalTimeout: (timeoutMs ?? 0) * 10,
            onprogress: progress => onProgress?.(progress),
          },
        ),
      { signal, timeoutMs },
    );
  }

  /** Suggests values for an argument (spec: server/utilities/completion). Empty where the server can not. */
  async complete(params: CompleteRequest['params'], signal?: AbortSignal): Promise<CompleteResult['completion']> {
    if (!this.info?.capabilities.completions) return { values: [] };
    const { completion } = await this.request(
      `complete "${visible(params.argument.name)}"`,
      (client, options) => client.complete(params, options),
      { signal },
    );
    return completion;
  }
}
