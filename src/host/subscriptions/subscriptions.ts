import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { HostError, METHOD_NOT_FOUND } from '../../base/errors';
import { type Disposable, Emitter } from '../../base/events';
import { type Phrase, phrase } from '../../base/phrase';
import { Coalescer } from '../../base/queue';
import { visible } from '../../base/text';
import type { ServerInfo } from '../sdk/serverInfo';
import { ChangeStream, type ReportState, type SubscriptionChannel, type SubscriptionState } from './changeStream';

interface Subscription {
  users: number;
  state: SubscriptionState;
  readonly update: Coalescer;
}

/** What is known of the followed resources of one server. */
export type FollowedState = Pick<Subscriptions, 'state' | 'onDidUpdate' | 'onDidChangeState'>;

/** Additions and removals by one gesture are handled in one pass. */
const CHANGES = { quietMs: 20, maxMs: 200 };
/** However many updates of one resource there are in a second, they cause one event. */
const UPDATES = { quietMs: 50, maxMs: 500 };

/**
 * Which resources of one server are subscribed (spec: server/resources#subscriptions), in either era. It is the only owner
 * of that. Subscriptions outlive sessions: each new session resumes them. Nothing here throws; a failure is a state.
 */
export class Subscriptions {
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #updated = new Emitter<string>();
  /** A subscribed URI may have changed, also when it becomes live: changes before that were not announced. */
  readonly onDidUpdate = this.#updated.event;
  readonly #stateChanged = new Emitter<string>();
  readonly onDidChangeState = this.#stateChanged.event;
  readonly #follow = new Coalescer(() => this.#channel?.follow([...this.#subscriptions.keys()]), CHANGES);
  #channel: SubscriptionChannel | undefined;
  /** `pending` while no session is there. */
  #initial: SubscriptionState = 'pending';

  /** Subscribes until the returned handle is disposed; when the last user of a URI leaves, it is unsubscribed. */
  add(uri: string): Disposable {
    const subscription = this.#subscriptions.get(uri) ?? this.#create(uri);
    subscription.users++;
    let isOver = false;
    return {
      dispose: () => {
        if (isOver) return;
        isOver = true;
        if (--subscription.users > 0) return;
        subscription.update.cancel();
        this.#subscriptions.delete(uri);
        if (this.#channel) this.#follow.trigger();
      },
    };
  }

  state(uri: string): SubscriptionState | undefined {
    return this.#subscriptions.get(uri)?.state;
  }

  /** To be called when a session begins. @param channel undefined: the server has no subscriptions. */
  attach(open: ((report: ReportState) => SubscriptionChannel) | undefined): void {
    this.detach();
    this.#initial = open ? 'pending' : 'unsupported';
    for (const uri of this.#subscriptions.keys()) this.#set(uri, this.#initial);
    if (!open) return;
    const channel = open((uri, state) => {
      if (this.#channel === channel) this.#set(uri, state);
    });
    this.#channel = channel;
    this.#follow.trigger();
  }

  /** The session is over. */
  detach(): void {
    this.#follow.cancel();
    const channel = this.#channel;
    this.#channel = undefined;
    channel?.dispose();
    this.#initial = 'pending';
    for (const [uri, { update }] of this.#subscriptions) {
      update.cancel();
      this.#set(uri, 'pending');
    }
  }

  /** Handles `notifications/resources/updated`. Its URI may be part of a subscribed one, which has then changed. */
  received(changed: string): void {
    if (this.#channel === undefined) return;
    for (const [uri, { update }] of this.#subscriptions) if (isWithin(changed, uri)) update.trigger();
  }

  #create(uri: string): Subscription {
    const update = new Coalescer(() => this.#updated.fire(uri), UPDATES);
    const subscription: Subscription = { users: 0, state: this.#initial, update };
    this.#subscriptions.set(uri, subscription);
    this.#stateChanged.fire(uri);
    if (this.#channel) this.#follow.trigger();
    return subscription;
  }

  #set(uri: string, state: SubscriptionState): void {
    const subscription = this.#subscriptions.get(uri);
    if (!subscription || subscription.state === state) return;
    subscription.state = state;
    this.#stateChanged.fire(uri);
    if (state === 'live') subscription.update.trigger();
  }
}

/** Whether a URI equals `whole`, or is a part of it: below its path, in its query or its fragment. */
function isWithin(uri: string, whole: string): boolean {
  if (!uri.startsWith(whole)) return false;
  return uri.length === whole.length || whole.endsWith('/') || '/?#'.includes(uri[whole.length]!);
}

/**
 * How resources of a connected server are followed: over one stream in the modern era, which also announces changed lists;
 * by requests in the legacy era. Undefined if the server has no subscriptions.
 */
export function openChannel(
  source: SubscribeRequestSource,
  client: Client,
  { info, events, log }: { info: ServerInfo; events: boolean; log(message: string): void },
): ((report: ReportState) => SubscriptionChannel) | undefined {
  if (info.era === 'modern') return report => new ChangeStream(client, { info, events }, { report, log });
  if (!info.capabilities.resources?.subscribe) return undefined;
  return report => new SubscribeRequests(source, report, log);
}

/** The parts of their connection that the requests need. */
interface SubscribeRequestSource {
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
