import { type Disposable, DisposableMap, DisposableStore, Emitter, getOrInsert, Owner } from '../../../base/events';
import type { ServerConnection, ServerSet, SubscriptionState } from '../../../host';
import { addressKey, type ResourceAddress } from './resourceAddress';

interface FollowedResource {
  readonly address: ResourceAddress;
  users: number;
  server?: ServerConnection | undefined;
  subscription?: Disposable | undefined;
}

/**
 * The resources that the window follows, by address: a window that is restored knows what is open before any server is
 * configured. Subscribes to them at their servers as these come, and again when one is removed and added.
 */
export class FollowedResources extends Owner {
  readonly #followed = new Map<string, FollowedResource>();
  readonly #listeners = this.own(new DisposableMap<ServerConnection>());
  readonly #updated = this.own(new Emitter<ResourceAddress>());
  /** The server says that it may have changed. */
  readonly onDidUpdate = this.#updated.event;
  readonly #stateChanged = this.own(new Emitter<ResourceAddress>());
  readonly onDidChangeState = this.#stateChanged.event;

  constructor(private readonly servers: ServerSet) {
    super();
    this.own(servers.onDidChange(change => change ?? this.#onServers()));
    this.#onServers();
  }

  /** Follows until the returned handle is disposed. */
  follow(address: ResourceAddress): Disposable {
    const key = addressKey(address);
    const followed = getOrInsert(this.#followed, key, () => ({ address, users: 0 }));
    if (followed.users++ === 0) this.#bind(followed);
    let isOver = false;
    return {
      dispose: () => {
        if (isOver) return;
        isOver = true;
        if (--followed.users > 0) return;
        followed.subscription?.dispose();
        this.#followed.delete(key);
        this.#stateChanged.fire(address);
      },
    };
  }

  /** `pending` also when its server is not there; undefined when it is not followed. */
  state(address: ResourceAddress): SubscriptionState | undefined {
    const followed = this.#followed.get(addressKey(address));
    return followed && (followed.server?.subscriptions.state(address.uri) ?? 'pending');
  }

  override dispose(): void {
    for (const { subscription } of this.#followed.values()) subscription?.dispose();
    this.#followed.clear();
    super.dispose();
  }

  #onServers(): void {
    const present = new Set(this.servers.all);
    for (const server of this.#listeners.keys()) if (!present.has(server)) this.#listeners.delete(server);
    for (const server of present) if (!this.#listeners.has(server)) this.#listen(server);
    for (const followed of this.#followed.values()) this.#bind(followed);
  }

  #listen(server: ServerConnection): void {
    const { id, subscriptions } = server;
    const listeners = new DisposableStore();
    const tell = (emitter: Emitter<ResourceAddress>) => (uri: string) => {
      const followed = this.#followed.get(addressKey({ serverId: id, uri }));
      if (followed?.server === server) emitter.fire(followed.address);
    };
    listeners.add(subscriptions.onDidUpdate(tell(this.#updated)));
    listeners.add(subscriptions.onDidChangeState(tell(this.#stateChanged)));
    this.#listeners.set(server, listeners);
  }

  #bind(followed: FollowedResource): void {
    const { address } = followed;
    const server = this.servers.get(address.serverId);
    if (server === followed.server && followed.subscription) return;
    followed.subscription?.dispose();
    followed.server = server;
    followed.subscription = server && this.servers.byHand(server).subscribe(address.uri);
    this.#stateChanged.fire(address);
  }
}
