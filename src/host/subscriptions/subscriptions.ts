import { type Disposable, Emitter } from '../../base/events';
import { Coalescer } from '../../base/queue';

/**
 * `live`: its changes are announced. `pending`: not yet, or the server is not ready. `unsupported`: the server does not
 * announce its changes. `failed`: the server refused or did not answer; the log says why.
 */
export type SubscriptionState = 'live' | 'pending' | 'unsupported' | 'failed';

/** Tells the server of one session which resources are wanted. */
export interface SubscriptionChannel extends Disposable {
  /** Makes the server announce changes of these URIs and no others. The result for each goes to `onDidChangeState`. */
  follow(uris: readonly string[]): void;
}

/** Reports the state of the subscription to a URI. */
export type ReportState = (uri: string, state: SubscriptionState) => void;

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
  /**
   * A subscribed URI may have changed. Also fires when one becomes live, at first or after a reconnect, because changes
   * before that were not announced.
   */
  readonly onDidUpdate = this.#updated.event;
  readonly #stateChanged = new Emitter<string>();
  /** The state of a subscribed URI changed. */
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
        if (--subscription.users === 0) this.#delete(uri, subscription);
      },
    };
  }

  /** The state of a subscription; undefined without one. */
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

  /**
   * Handles `notifications/resources/updated`. Its URI may be part of a subscribed one, which has then changed. All others
   * are ignored.
   */
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

  #delete(uri: string, { update }: Subscription): void {
    update.cancel();
    this.#subscriptions.delete(uri);
    if (this.#channel) this.#follow.trigger();
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
