import { setTimeout as delay } from 'node:timers/promises';
import type { HostError } from '../../../base/errors';
import { FORBIDDEN, INVALID_PARAMS, METHOD_NOT_FOUND, NOT_FOUND, UNSUPPORTED } from '../../../base/errors';
import { type Disposable, Emitter, until } from '../../../base/events';
import { isObject } from '../../../base/json';
import type { Phrase } from '../../../base/phrase';
import { startOf } from '../../../base/text';
import { Backoff, type EventChannel, type RequestsOf, type ServerConnection } from '../../../host';
import type { NoticedEvents } from './eventNotices';
import type { EventType, FollowMode } from './eventTypes';
import { type KeptEvent, KeptEvents } from './keptEvents';

/** Each holds a stream or a timer. */
export const MAX_FOLLOWED = 50;

/** Where an event is shown: only in rows, in the status bar, as a notification, or in chat with the event attached. */
export type EventNotice = 'silent' | 'statusBar' | 'notification' | 'chat';

/** Events of one type with one set of arguments that a person follows. */
export interface FollowedType {
  readonly server: ServerConnection;
  readonly type: EventType;
  readonly args: Readonly<Record<string, unknown>>;
  readonly follow: EventFollow;
  notice: EventNotice;
}

interface ReceivedEvents extends NoticedEvents<KeptEvent> {
  readonly followed: FollowedType;
}

/** All that the person follows in this window. The client owns its subscriptions (SEP-3415#client-owned-subscription-state). */
export class FollowedEvents implements Disposable {
  readonly #changed = new Emitter<FollowedType>();
  /** Something about it has changed, or it is followed no longer. */
  readonly onDidChange = this.#changed.event;
  readonly #received = new Emitter<ReceivedEvents>();
  readonly onDidReceive = this.#received.event;
  readonly #all = new Set<FollowedType>();

  /** @param requests those of the person. */
  constructor(private readonly requests: RequestsOf) {}

  get all(): readonly FollowedType[] {
    return [...this.#all];
  }

  /** Those of a server, in the order in which they were added. */
  of(server: ServerConnection): readonly FollowedType[] {
    return [...this.#all].filter(one => one.server === server);
  }

  /** Whether no more can be followed. */
  get isFull(): boolean {
    return this.#all.size >= MAX_FOLLOWED;
  }

  /** Follows these events, unless they are followed already. One that has ended begins anew. */
  add(wanted: Omit<FollowedType, 'follow'>): FollowedType {
    const { server, type, args } = wanted;
    const key = JSON.stringify(args);
    const same = this.of(server).find(one => one.type.name === type.name && JSON.stringify(one.args) === key);
    if (same && same.follow.state.kind !== 'ended') {
      same.notice = wanted.notice;
      this.#changed.fire(same);
      return same;
    }
    if (same) this.delete(same);
    const open = () => this.requests(server).followEvents(type.name, args);
    const follow = new EventFollow({ server, type, open });
    const followed: FollowedType = { ...wanted, follow };
    follow.onDidChange(() => this.#changed.fire(followed));
    follow.onDidReceive(received => this.#received.fire({ followed, ...received }));
    this.#all.add(followed);
    this.#changed.fire(followed);
    return followed;
  }

  /** Stops following. Its events are gone. */
  delete(followed: FollowedType): void {
    if (!this.#all.delete(followed)) return;
    followed.follow.dispose();
    this.#changed.fire(followed);
  }

  dispose(): void {
    for (const { follow } of this.#all) follow.dispose();
    this.#all.clear();
    this.#changed.dispose();
    this.#received.dispose();
  }
}

/** Errors after which asking again would change nothing. */
const FINAL: readonly unknown[] = [METHOD_NOT_FOUND, INVALID_PARAMS, NOT_FOUND, FORBIDDEN, UNSUPPORTED];

/** A stream is dead after twice the interval of heartbeats without one, and a little for the way. */
const IDLE_MS = 65_000;
/** The end of a stream that was open for this long is not a failure. */
const LONG_MS = 10_000;
/** The shortest and the longest pause between two polls, and the one if the server names none. */
const [MIN_POLL_MS, MAX_POLL_MS, DEFAULT_POLL_MS] = [1_000, 10 * 60_000, 30_000];
/** Polls without a pause, for a server that always has more. */
const MAX_AT_ONCE = 20;
const MAX_A_POLL = 50;
/** After an interruption, older events are not asked for. */
const MAX_AGE_MS = 60 * 60_000;
/** In characters. */
const MAX_CURSOR = 10_000;

/** What has ended a subscription for good. */
type FollowEnd =
  /** The server was stopped, has failed or is gone. */
  | { readonly kind: 'server' }
  /** The server has ended it, or refused it. */
  | { readonly kind: 'refused'; readonly code: number | undefined; readonly reason: Phrase | string };

export type FollowState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live'; readonly mode: FollowMode }
  /** It is tried again. The reason is why it broke. */
  | { readonly kind: 'retrying'; readonly reason: Phrase | string }
  | { readonly kind: 'ended'; readonly end: FollowEnd };

type FollowedServer = Pick<ServerConnection, 'name' | 'state' | 'onDidChangeState'>;

interface FollowOptions {
  readonly server: FollowedServer;
  readonly type: EventType;
  /** Opens the channel, if that is allowed. Rejects with a `HostError`. */
  open(): Promise<EventChannel>;
}

/**
 * Follows one type of events of a server (SEP-3415) from now on, by stream where the server has it, else by polls. What breaks is
 * resumed after a growing pause, from the last position that the server named. It ends with the server, by its word, or when it
 * is disposed.
 */
export class EventFollow {
  readonly events = new KeptEvents();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #received = new Emitter<NoticedEvents<KeptEvent>>();
  /** New events have arrived. The latest is undefined if none of them was kept. */
  readonly onDidReceive = this.#received.event;
  readonly #abort = new AbortController();
  readonly #backoff = new Backoff();
  readonly #serverChanges;
  #state: FollowState = { kind: 'connecting' };
  #mode: FollowMode;
  /** Where to go on. Null: from now on. */
  #cursor: string | null = null;
  #gaps = 0;

  constructor(private readonly options: FollowOptions) {
    this.#mode = options.type.modes[0] ?? 'poll';
    this.#serverChanges = options.server.onDidChangeState(() => this.#onServer());
    void this.#run();
  }

  get state(): FollowState {
    return this.#state;
  }

  /** How often the server has left events out. */
  get gaps(): number {
    return this.#gaps;
  }

  /** Stops following. */
  dispose(): void {
    this.#stop();
    this.#changed.dispose();
    this.#received.dispose();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    try {
      const channel = await this.options.open();
      while (!signal.aborted) {
        await this.#untilReady();
        const begun = performance.now();
        try {
          if (this.#mode === 'push') await this.#stream(channel);
          else await this.#poll(channel);
          if (performance.now() - begun > LONG_MS) this.#backoff.reset();
        } catch (error) {
          if (signal.aborted) return;
          const { rpcCode, phrases } = error as HostError;
          if (rpcCode === UNSUPPORTED && this.#mode === 'push' && this.options.type.modes.includes('poll')) {
            this.#mode = 'poll';
            continue;
          }
          if (FINAL.includes(rpcCode)) {
            return this.#end({ kind: 'refused', code: rpcCode, reason: phrases.reason });
          }
          this.#set({ kind: 'retrying', reason: phrases.reason });
        }
        if (!signal.aborted) await this.#pause(this.#backoff.next());
      }
    } catch (error) {
      this.#end({ kind: 'refused', code: undefined, reason: (error as HostError).phrases.reason });
    }
  }

  /** Resolves when the server has ended the stream. */
  async #stream(channel: EventChannel): Promise<void> {
    let isOver = false;
    await channel.stream(this.#position(), {
      signal: this.#abort.signal,
      idleMs: IDLE_MS,
      notified: ({ method, params = {} }) => {
        if (isOver || this.#abort.signal.aborted) return;
        if (method === 'notifications/events/terminated') {
          isOver = true;
          const { code, message } = isObject(params.error) ? params.error : {};
          const reason = typeof message === 'string' ? startOf(message, 500) : '';
          this.#end({ kind: 'refused', code: typeof code === 'number' ? code : undefined, reason });
        } else this.#onNotification(method, params);
      },
    });
  }

  #onNotification(method: string, params: Record<string, unknown>): void {
    const isEvent = method === 'notifications/events/event';
    if (isEvent || method === 'notifications/events/active' || method === 'notifications/events/heartbeat')
      this.#moveTo(params.cursor);
    if (method === 'notifications/events/active') {
      this.#noteGap(params.truncated);
      this.#set({ kind: 'live', mode: 'push' });
    }
    if (!isEvent) return;
    this.#backoff.reset();
    this.#take([params]);
  }

  /** Polls until something breaks. */
  async #poll(channel: EventChannel): Promise<void> {
    const { signal } = this.#abort;
    for (let atOnce = 0; !signal.aborted; ) {
      const result = await channel.poll({ ...this.#position(), maxEvents: MAX_A_POLL }, signal);
      this.#moveTo(result.cursor);
      this.#noteGap(result.truncated);
      this.#backoff.reset();
      this.#set({ kind: 'live', mode: 'poll' });
      if (Array.isArray(result.events)) this.#take(result.events.slice(0, MAX_A_POLL * 10));
      atOnce = result.hasMore === true ? atOnce + 1 : 0;
      const isAtOnce = atOnce > 0 && atOnce < MAX_AT_ONCE;
      if (!isAtOnce) {
        atOnce = 0;
        await this.#pause(pollPause(result));
      }
    }
  }

  #position() {
    return this.#cursor === null ? { cursor: null } : { cursor: this.#cursor, maxAgeMs: MAX_AGE_MS };
  }

  /** A missing position is the same as null (SEP-3415#cursor-lifecycle). */
  #moveTo(cursor: unknown): void {
    this.#cursor = typeof cursor === 'string' && cursor.length <= MAX_CURSOR ? cursor : null;
  }

  /** Where there are no positions, there are no gaps either. */
  #noteGap(truncated: unknown): void {
    if (truncated !== true || this.#cursor === null) return;
    this.#gaps++;
    this.#changed.fire();
  }

  #take(occurrences: readonly unknown[]): void {
    let count = 0;
    let latest: KeptEvent | undefined;
    for (const occurrence of occurrences) {
      const { event, isNew } = this.events.add(occurrence, this.options.type.name);
      if (isNew) count++;
      latest = event ?? latest;
    }
    if (occurrences.length > 0) this.#changed.fire();
    if (count > 0) this.#received.fire({ count, latest });
  }

  #onServer(): void {
    const { kind } = this.options.server.state;
    if (kind !== 'ready' && kind !== 'starting' && kind !== 'reconnecting') this.#end({ kind: 'server' });
  }

  /** Resolves when the server is ready, or nothing more is to be done. */
  #untilReady(): Promise<void> {
    const { server } = this.options;
    return until(() => server.state.kind === 'ready', [server.onDidChangeState], this.#abort);
  }

  #pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }

  #end(end: FollowEnd): void {
    if (this.#abort.signal.aborted) return;
    this.#stop();
    this.#set({ kind: 'ended', end });
  }

  #stop(): void {
    this.#serverChanges.dispose();
    this.#abort.abort();
  }

  #set(state: FollowState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#changed.fire();
  }
}

function pollPause({ nextPollMs }: Record<string, unknown>): number {
  const wanted = typeof nextPollMs === 'number' && nextPollMs >= 0 ? nextPollMs : DEFAULT_POLL_MS;
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, wanted));
}
