import { type Disposable, DisposableStore, Emitter } from '../../base/events';
import type { ResourceReader } from './core/reader';
import { addressKey, type ResourceAddress } from './core/resourceAddress';
import type { LiveEditors } from './liveEditors';
import type { WatchList } from './watchList';

/** Which of the open or watched resources have changed since the person last saw them. */
export class ChangeMarks implements Disposable {
  readonly #marked = new Map<string, ResourceAddress>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #disposables = new DisposableStore();

  constructor(
    reader: ResourceReader,
    private readonly editors: LiveEditors,
    private readonly watched: WatchList,
  ) {
    this.#disposables.add(reader.onDidChangeContent(address => this.#mark(address)));
    this.#disposables.add(editors.onDidChange(() => this.#prune()));
    this.#disposables.add(watched.onDidChange(() => this.#prune()));
  }

  has(address: ResourceAddress): boolean {
    return this.#marked.has(addressKey(address));
  }

  dispose(): void {
    this.#disposables.dispose();
    this.#changed.dispose();
  }

  #mark(address: ResourceAddress): void {
    if (!this.#applies(address) || this.has(address)) return;
    this.#marked.set(addressKey(address), address);
    this.#changed.fire();
  }

  #prune(): void {
    const before = this.#marked.size;
    for (const [key, address] of this.#marked) if (!this.#applies(address)) this.#marked.delete(key);
    if (this.#marked.size !== before) this.#changed.fire();
  }

  #applies(address: ResourceAddress): boolean {
    return !this.editors.isVisible(address) && (this.editors.isOpen(address) || this.watched.has(address));
  }
}
