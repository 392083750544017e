import { type Disposable, Emitter } from '../../base/events';
import type { PlainState } from '../../editor/storage';
import type { FollowedResources } from './core/followedResources';
import { addressKey, type ResourceAddress } from './core/resourceAddress';
import { WATCHED_KEY } from './openResources';

/** Beyond this, the oldest are dropped: those of servers that are no longer configured would pile up. */
const MAX_WATCHED = 500;

/**
 * The resources that a person watches, whether open or not. Stored for the workspace; followed while they are in this list.
 */
export class WatchList implements Disposable {
  readonly #watched = new Map<string, { address: ResourceAddress; following: Disposable }>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly followed: FollowedResources,
    private readonly state: PlainState,
  ) {
    for (const address of storedAddresses(state.get<unknown>(WATCHED_KEY))) this.#follow(address);
  }

  get all(): readonly ResourceAddress[] {
    return [...this.#watched.values()].map(({ address }) => address);
  }

  has(address: ResourceAddress): boolean {
    return this.#watched.has(addressKey(address));
  }

  add(address: ResourceAddress): void {
    if (this.has(address)) return;
    const [oldest] = this.#watched.size >= MAX_WATCHED ? this.#watched.keys() : [];
    if (oldest !== undefined) this.#unfollow(oldest);
    this.#follow({ serverId: address.serverId, uri: address.uri });
    this.#save();
  }

  delete(address: ResourceAddress): void {
    if (!this.has(address)) return;
    this.#unfollow(addressKey(address));
    this.#save();
  }

  dispose(): void {
    for (const { following } of this.#watched.values()) following.dispose();
    this.#watched.clear();
    this.#changed.dispose();
  }

  #follow(address: ResourceAddress): void {
    this.#watched.set(addressKey(address), { address, following: this.followed.follow(address) });
  }

  #unfollow(key: string): void {
    this.#watched.get(key)?.following.dispose();
    this.#watched.delete(key);
  }

  #save(): void {
    void this.state.update(WATCHED_KEY, this.all);
    this.#changed.fire();
  }
}

function storedAddresses(stored: unknown): ResourceAddress[] {
  if (!Array.isArray(stored)) return [];
  return (stored as Partial<ResourceAddress>[]).flatMap(one =>
    typeof one?.serverId === 'string' && typeof one.uri === 'string' ? [{ serverId: one.serverId, uri: one.uri }] : [],
  );
}
