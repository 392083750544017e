import vscode = require('vscode');

import { type Disposable, DisposableStore, Emitter } from '../../base/events';
import { Coalescer } from '../../base/queue';
import { t } from '../../editor/window';
import type { FollowedResources } from './core/followedResources';
import { addressKey, parseRowUri, type ResourceAddress } from './core/resourceAddress';
import type { ResourceReader } from './core/resourceReader';
import type { LiveEditors } from './liveEditors';
import type { WatchList } from './watchList';

/** Badges in the Resources view for resources that are open or watched: live, or changed meanwhile. */
export class ResourceBadges implements vscode.FileDecorationProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeFileDecorations = this.#changed.event;
  /** Refreshes all rows at once: few have a badge, and the editor asks only for those that are visible. */
  readonly #update = new Coalescer(() => this.#changed.fire(undefined), { quietMs: 50, maxMs: 250 });
  readonly #disposables = new DisposableStore();

  constructor(
    private readonly followed: FollowedResources,
    private readonly editors: LiveEditors,
    private readonly watched: WatchList,
    private readonly marks: ChangeMarks,
  ) {
    const update = () => this.#update.trigger();
    for (const changed of [followed.onDidChangeState, editors.onDidChange, watched.onDidChange, marks.onDidChange])
      this.#disposables.add((changed as typeof editors.onDidChange)(update));
    this.#disposables.add(vscode.window.registerFileDecorationProvider(this));
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const address = parseRowUri(uri);
    return address && this.#decoration(address);
  }

  dispose(): void {
    this.#update.cancel();
    this.#disposables.dispose();
    this.#changed.dispose();
  }

  #decoration(address: ResourceAddress): vscode.FileDecoration | undefined {
    const isWatched = this.watched.has(address);
    if (this.marks.has(address)) {
      const color = new vscode.ThemeColor('gitDecoration.modifiedResourceForeground');
      return { badge: 'M', color, tooltip: t('Changed since you last saw it') };
    }
    if (this.followed.state(address) === 'live') {
      if (isWatched) return { badge: '◉', tooltip: t('Watched: you are notified when it changes') };
      return this.editors.isOpen(address)
        ? { badge: '•', tooltip: t('Live: the editor follows its changes') }
        : undefined;
    }
    return isWatched
      ? { badge: '○', tooltip: t('Watched, but its server does not report changes at the moment') }
      : undefined;
  }
}

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
