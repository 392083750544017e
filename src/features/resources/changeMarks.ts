import { Emitter, Owner } from '../../base/events';
import { addressKey, type ResourceAddress } from './core/resourceAddress';
import type { ResourceReader } from './core/resourceReader';
import type { LiveEditors } from './openEditors';
import type { WatchList } from './watchList';

/**
 * Which of the open or watched resources have changed since the person last saw them. A change that can be shown is seen once that
 * was done: to see what a resource is now does not tell what has changed.
 */
export class ChangeMarks extends Owner {
  readonly #marked = new Map<string, ResourceAddress>();
  readonly #comparable = new Set<string>();
  readonly #changed = this.own(new Emitter<void>());
  readonly onDidChange = this.#changed.event;

  constructor(
    reader: ResourceReader,
    private readonly editors: LiveEditors,
    private readonly watched: WatchList,
  ) {
    super();
    this.own(reader.onDidChangeContent(address => this.#mark(address)));
    this.own(editors.onDidChange(() => this.#prune()));
    this.own(watched.onDidChange(() => this.#prune()));
  }

  has(address: ResourceAddress): boolean {
    return this.#marked.has(addressKey(address));
  }

  /** Its change can be shown. */
  isComparable(address: ResourceAddress): boolean {
    return this.has(address) && this.#comparable.has(addressKey(address));
  }

  isVisible(address: ResourceAddress): boolean {
    return this.editors.isVisible(address);
  }

  setComparable(address: ResourceAddress, isComparable: boolean): void {
    if (isComparable === this.#comparable.has(addressKey(address))) return;
    if (isComparable) this.#comparable.add(addressKey(address));
    else this.#comparable.delete(addressKey(address));
    this.#prune();
    this.#changed.fire();
  }

  /** The change was seen. */
  delete(address: ResourceAddress): void {
    this.#comparable.delete(addressKey(address));
    if (this.#marked.delete(addressKey(address))) this.#changed.fire();
  }

  #mark(address: ResourceAddress): void {
    if (!this.#applies(address) || this.has(address)) return;
    this.#marked.set(addressKey(address), address);
    this.#changed.fire();
  }

  #prune(): void {
    const before = this.#marked.size;
    for (const [key, address] of this.#marked) if (!this.#applies(address)) this.#marked.delete(key);
    for (const key of this.#comparable) if (!this.#marked.has(key)) this.#comparable.delete(key);
    if (this.#marked.size !== before) this.#changed.fire();
  }

  #applies(address: ResourceAddress): boolean {
    if (this.watched.has(address) && this.#comparable.has(addressKey(address))) return true;
    return !this.editors.isVisible(address) && (this.editors.isOpen(address) || this.watched.has(address));
  }
}
