import { type Disposable, Emitter } from '../../../base/events';
import type { RequestsOf, ServerConnection } from '../../../host';
import { EventFollow } from './eventFollow';
import type { EventType } from './eventTypes';
import type { KeptEvent } from './keptEvents';

/** Each holds a stream or a timer. */
export const MAX_FOLLOWED = 50;

/** How the person is told of events: by rows alone, in the status bar, or by a notification. */
export type EventNotice = 'silent' | 'statusBar' | 'notification';

/** Events of one type with one set of arguments that a person follows. */
export interface FollowedType {
  readonly server: ServerConnection;
  readonly type: EventType;
  readonly args: Readonly<Record<string, unknown>>;
  readonly follow: EventFollow;
  notice: EventNotice;
}

interface ReceivedEvents {
  readonly followed: FollowedType;
  readonly count: number;
  readonly latest: KeptEvent | undefined;
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
      this.notify(same, wanted.notice);
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

  /** Changes how the person is told. */
  notify(followed: FollowedType, notice: EventNotice): void {
    followed.notice = notice;
    this.#changed.fire(followed);
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
