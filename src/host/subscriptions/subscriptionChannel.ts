import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { HostError, METHOD_NOT_FOUND } from '../../base/errors';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { ServerInfo } from '../sdk/serverInfo';
import { ChangeStream } from './changeStream';
import type { ReportState, SubscriptionChannel, SubscriptionState } from './subscriptions';

interface ChannelOptions {
  readonly info: ServerInfo;
  /** Whether changes of the types of its events matter. */
  readonly events: boolean;
  readonly log: (message: string) => void;
}

/**
 * How resources of a connected server are followed: over one stream in the modern era, which also announces changed lists;
 * by requests in the legacy era. Undefined if the server has no subscriptions.
 */
export function openChannel(
  source: SubscribeRequestSource,
  client: Client,
  { info, events, log }: ChannelOptions,
): ((report: ReportState) => SubscriptionChannel) | undefined {
  if (info.era === 'modern') return report => new ChangeStream(client, { info, events }, { report, log });
  if (!info.capabilities.resources?.subscribe) return undefined;
  return report => new SubscribeRequests(source, report, log);
}

/** The parts of their connection that the requests need. */
export interface SubscribeRequestSource {
  /** Runs a request within the connection's limits. Rejects with a `HostError`. */
  request<T>(action: Phrase, send: (client: Client, options: RequestOptions) => Promise<T>): Promise<T>;
}

const MAX_IN_FLIGHT = 8;

/**
 * Subscriptions of the legacy era: a `resources/subscribe` or `resources/unsubscribe` for each URI, never two for one URI at
 * once. What was refused is not requested again, unless it is newly wanted.
 */
class SubscribeRequests implements SubscriptionChannel {
  #wanted = new Set<string>();
  /** The states that resulted from the server's answers. */
  readonly #settled = new Map<string, SubscriptionState>();
  readonly #busy = new Set<string>();
  readonly #waiting = new Set<string>();
  #disposed = false;

  constructor(
    private readonly source: SubscribeRequestSource,
    private readonly report: ReportState,
    private readonly onFailure: (message: string) => void,
  ) {}

  follow(uris: readonly string[]): void {
    this.#wanted = new Set(uris);
    for (const uri of [...uris, ...this.#settled.keys()]) this.#waiting.add(uri);
    this.#next();
  }

  dispose(): void {
    this.#disposed = true;
    this.#waiting.clear();
  }

  #next(): void {
    for (const uri of this.#waiting) {
      if (this.#busy.size >= MAX_IN_FLIGHT) return;
      // One with a request in flight is reconsidered when the answer arrives.
      this.#waiting.delete(uri);
      if (!this.#busy.has(uri)) this.#settle(uri);
    }
  }

  #settle(uri: string): void {
    const settled = this.#settled.get(uri);
    if (this.#wanted.has(uri)) {
      if (settled === undefined) void this.#send(uri, this.#subscribe(uri));
      else this.report(uri, settled);
      return;
    }
    this.#settled.delete(uri);
    if (settled === 'live') void this.#send(uri, this.#unsubscribe(uri));
  }

  async #send(uri: string, request: Promise<void>): Promise<void> {
    this.#busy.add(uri);
    await request;
    this.#busy.delete(uri);
    if (this.#disposed) return;
    this.#waiting.add(uri);
    this.#next();
  }

  async #subscribe(uri: string): Promise<void> {
    try {
      await this.source.request(phrase('subscribe to {0}', visible(uri, 300)), (client, options) =>
        client.subscribeResource({ uri }, options),
      );
      this.#settled.set(uri, 'live');
    } catch (error) {
      if (this.#disposed) return;
      const isUnknown = error instanceof HostError && error.rpcCode === METHOD_NOT_FOUND;
      this.#settled.set(uri, isUnknown ? 'unsupported' : 'failed');
      this.onFailure((error as Error).message);
    }
  }

  async #unsubscribe(uri: string): Promise<void> {
    try {
      await this.source.request(phrase('unsubscribe from {0}', visible(uri, 300)), (client, options) =>
        client.unsubscribeResource({ uri }, options),
      );
    } catch (error) {
      if (!this.#disposed) this.onFailure((error as Error).message);
    }
  }
}
