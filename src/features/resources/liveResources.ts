import { type Disposable, DisposableStore, Emitter, lazy } from '../../base/events';
import { Coalescer } from '../../base/queue';
import type { ServerNotices } from '../../editor/serverNotices';
import type { PlainState } from '../../editor/storage';
import { t } from '../../editor/window';
import type { ServerSet } from '../../host';
import { FollowedResources } from './core/followedResources';
import { addressKey, parseResourceUri, type ResourceAddress, ROW_QUERY } from './core/resourceAddress';
import type { ResourceReader } from './core/resourceReader';
import { LiveEditors, OpenEditors, ResourceRefresher } from './openEditors';
import { openResources } from './openResources';
import type { Resources } from './resources';
import { WatchList } from './watchList';
import { WatchNotices } from './watchNotices';

import vscode = require('vscode');

/** The parts of live resources. */
interface LiveResourcesParts {
  readonly servers: ServerSet;
  readonly resources: Pick<Resources, 'reader' | 'fileSystem' | 'hexView'>;
  readonly notices: ServerNotices;
  /** State of the workspace, for what is watched in it. */
  readonly state: PlainState;
}

/**
 * Subscriptions (spec: server/resources#subscriptions) in the editor: open resources stay up to date, watched ones notify.
 */
export class LiveResources implements vscode.Disposable {
  readonly editors: OpenEditors;
  readonly followed: FollowedResources;
  readonly refresher: ResourceRefresher;
  readonly watched: WatchList;
  readonly #disposables = new DisposableStore();

  constructor({ servers, resources, notices, state }: LiveResourcesParts) {
    const { fileSystem, hexView } = resources;
    const reader = resources.reader();
    const own = <T extends vscode.Disposable>(disposable: T): T => this.#disposables.add(disposable);
    this.editors = own(new OpenEditors(servers, reader, fileSystem, hexView));
    this.followed = own(new FollowedResources(servers));
    this.refresher = own(new ResourceRefresher(this.followed, reader, this.editors));
    this.watched = own(new WatchList(this.followed, state));
    const live = own(new LiveEditors(this.followed));
    const marks = own(new ChangeMarks(reader, live, this.watched));
    own(new ResourceBadges(this.followed, live, this.watched, marks));
    own(keepContext(live, this.watched));
    const tell = lazy(() => own(new WatchNotices(servers, this.watched, live, notices)));
    own(
      this.refresher.onDidRefresh(refreshed => {
        if (this.watched.has(refreshed.address)) tell().onRefresh(refreshed);
      }),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

/** Badges in the Resources view for resources that are open or watched: live, or changed meanwhile. */
class ResourceBadges implements vscode.FileDecorationProvider, vscode.Disposable {
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
    const of = (change: (listener: () => void) => Disposable) => this.#disposables.add(change(update));
    [followed.onDidChangeState, editors.onDidChange, watched.onDidChange, marks.onDidChange].forEach(of);
    this.#disposables.add(vscode.window.registerFileDecorationProvider(this));
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const address = uri.query === ROW_QUERY ? parseResourceUri(uri) : undefined;
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
class ChangeMarks implements Disposable {
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

/** Keeps the context key by which the menu of an editor knows that its resource is watched: `resource in mcpHost.watched`. */
function keepContext(editors: LiveEditors, watched: WatchList): Disposable {
  let shown = '';
  const update = () => {
    const uris = openResources()
      .filter(({ address }) => watched.has(address))
      .map(({ uri }) => uri.toString());
    if (uris.join('\n') === shown) return;
    shown = uris.join('\n');
    void vscode.commands.executeCommand('setContext', 'mcpHost.watched', uris);
  };
  update();
  return vscode.Disposable.from(editors.onDidChange(update), watched.onDidChange(update));
}
