import { type Disposable, Emitter } from '../../base/events';
import type { FollowedResources } from './core/followedResources';
import { addressKey, type ResourceAddress } from './core/resourceAddress';
import type { ResourceContent } from './core/resourceContent';
import { isNotFound, type ResourceReader } from './core/resourceReader';
import type { OpenEditors } from './openEditors';

/** The result of reading a resource again: its content, or that it no longer exists. */
export interface Refreshed {
  readonly address: ResourceAddress;
  readonly content: ResourceContent | undefined;
}

/**
 * Rereads a followed resource when its server says that it changed: one read at a time, and one more if it changed
 * meanwhile.
 */
export class ResourceRefresher implements Disposable {
  readonly #refreshed = new Emitter<Refreshed>();
  readonly onDidRefresh = this.#refreshed.event;
  readonly #subscription: Disposable;
  /** By address: whether the resource changed again while it was being read. */
  readonly #running = new Map<string, boolean>();

  constructor(
    followed: FollowedResources,
    private readonly reader: ResourceReader,
    private readonly editors: OpenEditors,
  ) {
    this.#subscription = followed.onDidUpdate(address => void this.refresh(address));
  }

  /** Never rejects: if it can't be read, the shown content stays, and the next change tries again. */
  async refresh(address: ResourceAddress): Promise<void> {
    const key = addressKey(address);
    if (this.#running.has(key)) {
      this.#running.set(key, true);
      return;
    }
    do {
      this.#running.set(key, false);
      await this.#read(address);
    } while (this.#running.get(key));
    this.#running.delete(key);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#refreshed.dispose();
  }

  async #read(address: ResourceAddress): Promise<void> {
    const hadFailed = this.reader.hasFailed(address);
    this.reader.outdate(address);
    try {
      const content = await this.reader.read(address);
      // The reader notifies editors of changes, but not those that show an error.
      if (hadFailed) this.editors.lookAgain(address);
      this.#refreshed.fire({ address, content });
    } catch (error) {
      if (!isNotFound(error)) return;
      this.editors.lookAgain(address);
      this.#refreshed.fire({ address, content: undefined });
    }
  }
}
