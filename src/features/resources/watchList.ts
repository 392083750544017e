import { type Disposable, DisposableMap, Emitter, Owner } from '../../base/events';
import type { PlainState } from '../../editor/storage';
import type { FollowedResources } from './core/followedResources';
import { addressKey, type ResourceAddress } from './core/resourceAddress';
import { WATCHED_KEY } from './openResources';

/** Beyond this, the oldest are dropped: those of servers that are no longer configured would pile up. */
const MAX_WATCHED = 500;

interface WatchedResource extends Disposable {
  readonly address: ResourceAddress;
}

/** The resources that a person watches, open or not. Stored for the workspace; followed while in this list. */
export class WatchList extends Owner {
  readonly #watched = this.own(new DisposableMap<string, WatchedResource>());
  readonly #changed = this.own(new Emitter<void>());
  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly followed: FollowedResources,
    private readonly state: PlainState,
  ) {
    super();
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
    if (oldest !== undefined) this.#watched.delete(oldest);
    this.#follow({ serverId: address.serverId, uri: address.uri });
    this.#save();
  }

  delete(address: ResourceAddress): void {
    if (this.#watched.delete(addressKey(address))) this.#save();
  }

  #follow(address: ResourceAddress): void {
    this.#watched.set(addressKey(address), { address, ...this.followed.follow(address) });
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
