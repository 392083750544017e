import type {
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  Progress,
  ReadResourceResult,
  StandardSchemaV1,
} from '@modelcontextprotocol/client';
import type { Phrase } from '../../base/phrase';
import type { ServerConnection } from './connection';

/** A request as it goes to the server. */
export interface WantedRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface ForwardOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * The requests that a caller can make to a server, except tool calls, which go through `ToolCalls`. All reject with a
 * `HostError`: `CHANGED` when the item has changed since it was accepted, `DENIED` by a rule or the person, and those of the
 * connection.
 */
export interface AllowedRequests {
  /** Spec: server/resources#reading-resources. */
  readResource(uri: string, signal?: AbortSignal): Promise<ReadResourceResult>;
  /** Spec: server/prompts#getting-a-prompt. */
  getPrompt(name: string, args: Record<string, string>, signal?: AbortSignal): Promise<GetPromptResult>;
  /** Spec: server/utilities/completion. */
  complete(params: CompleteRequest['params'], signal?: AbortSignal): Promise<CompleteResult['completion']>;
  /** Sends a request unchanged. @param action completes "could not ". @param result what its result must be. */
  forward<T>(
    request: WantedRequest,
    action: Phrase | string,
    result: StandardSchemaV1<unknown, T>,
    options?: ForwardOptions,
  ): Promise<T>;
}

/** Returns the requests that a caller may make to a server. */
export type RequestsOf = (server: ServerConnection) => AllowedRequests;
