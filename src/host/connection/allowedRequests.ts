import type {
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  Progress,
  ReadResourceResult,
  StandardSchemaV1,
} from '@modelcontextprotocol/client';
import type { Disposable } from '../../base/events';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { anyObject } from '../reading/carried';
import type { PersonMethod } from '../sdk/methods';
import type { ServerConnection } from './connection';
import type { StreamOptions } from './requestGate';
import type { ServerRequests } from './requests';

/** A request as it goes to the server. */
export interface WantedRequest {
  /** Those that only a person may send are refused to all others. */
  readonly method: PersonMethod;
  readonly params: Readonly<Record<string, unknown>>;
  /** That it reads a skill which the person has approved: its instructions, or one of its files. */
  readonly ofSkill?: 'instructions' | 'file' | undefined;
}

interface ForwardOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A subscription that a caller wants. It ends when it is disposed. */
export interface WantedSubscription extends Disposable {
  /** Rejects if the caller may not have it. Nothing is sent before it resolves. */
  readonly allowed: Promise<void>;
}

/**
 * The requests that a caller can make to a server, except tool calls, which go through `ToolCalls`. All reject with a
 * `HostError`: `CHANGED` when the item has changed since it was accepted, `DENIED` by a rule or the person, and those of the
 * connection.
 */
export interface AllowedRequests {
  /** Spec: server/resources#reading-resources. @param ofSkill see `WantedRequest`. */
  readResource(uri: string, signal?: AbortSignal, ofSkill?: WantedRequest['ofSkill']): Promise<ReadResourceResult>;
  /** Spec: server/prompts#getting-a-prompt. */
  getPrompt(name: string, args: Record<string, string>, signal?: AbortSignal): Promise<GetPromptResult>;
  /** Spec: server/utilities/completion. */
  complete(params: CompleteRequest['params'], signal?: AbortSignal): Promise<CompleteResult['completion']>;
  /** Follows a resource (spec: server/resources#subscriptions). `ServerConnection.subscriptions` has how that goes. */
  subscribe(uri: string): WantedSubscription;
  /** Follows events of one type (SEP-3415). Only a person may. Nothing is sent before the channel is used. */
  followEvents(name: string, args: Readonly<Record<string, unknown>>): Promise<EventChannel>;
  /** Does all but send a request whose answer is had elsewhere: kept from before, or got by what the person is shown. */
  permitted(request: WantedRequest, signal?: AbortSignal): Promise<void>;
  /** Sends a request unchanged. @param action completes "could not ". @param result what its result must be. */
  forward<T>(
    request: WantedRequest,
    action: Phrase | string,
    result: StandardSchemaV1<unknown, T>,
    options?: ForwardOptions,
  ): Promise<T>;
}

/** Opens the requests of a server, past every policy: see `McpHost.requests`. */
export type OpenRequests = (server: ServerConnection) => ServerRequests;

/** Returns the requests that a caller may make to a server. */
export type RequestsOf = (server: ServerConnection) => AllowedRequests;

type Params = Readonly<Record<string, unknown>>;

/** How the events of one type, with its arguments, are got from a server (SEP-3415). Both reject with a `HostError`. */
export interface EventChannel {
  /** Makes one `events/poll`. @param more its parameters besides the type and the arguments. */
  poll(more: Params, signal: AbortSignal): Promise<Record<string, unknown>>;
  /** Makes one `events/stream`. Resolves when the server ends it. @param more as for `poll`. */
  stream(more: Params, options: StreamOptions): Promise<void>;
}

/** For the policy, once it has allowed that these events are followed. A server that is not ready is not waited for. */
export function eventChannel(requests: ServerRequests, name: string, args: Params): EventChannel {
  const action = phrase('follow the events {0}', visible(name));
  return {
    poll: (more, signal) =>
      requests.request(
        action,
        (client, options) =>
          client.request({ method: 'events/poll', params: { name, arguments: args, ...more } }, anyObject, options),
        { signal, waits: false },
      ),
    stream: (more, options) =>
      requests.stream(action, { method: 'events/stream', params: { name, arguments: args, ...more } }, options),
  };
}
