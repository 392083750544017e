import { type Disposable, type Lazy, lazy, Owner } from '../../base/events';
import { Coalescer } from '../../base/queue';
import type { ServerNotices } from '../../editor/serverNotices';
import type { PlainState } from '../../editor/storage';
import { t } from '../../editor/window';
import type { ServerSet } from '../../host';
import { ChangeMarks } from './changeMarks';
import { FollowedResources } from './core/followedResources';
import { parseResourceUri, type ResourceAddress } from './core/resourceAddress';
import { LiveEditors, OpenEditors, ResourceRefresher } from './openEditors';
import { openResources } from './openResources';
import { isOfRow } from './ownAddresses';
import type { Resources } from './resources';
import type { ResourceTarget } from './resourceTarget';
import { WatchList } from './watchList';
import { WatchNotices } from './watchNotices';

import vscode = require('vscode');

interface LiveResourcesParts {
  readonly servers: ServerSet;
  readonly resources: Pick<Resources, 'reader' | 'fileSystem' | 'hexView'>;
  readonly notices: ServerNotices;
  /** State of the workspace, for what is watched in it. */
  readonly state: PlainState;
}

/** Resources in the editor (spec: server/resources#subscriptions): open ones stay current, watched ones notify. */
export class LiveResources extends Owner {
  readonly editors: OpenEditors;
  readonly followed: FollowedResources;
  readonly refresher: ResourceRefresher;
  readonly watched: WatchList;
  readonly marks: ChangeMarks;
  readonly #notices: Lazy<WatchNotices>;

  constructor({ servers, resources, notices, state }: LiveResourcesParts) {
    super();
    const { fileSystem, hexView } = resources;
    const reader = resources.reader();
    this.editors = this.own(new OpenEditors(servers, reader, fileSystem, hexView));
    this.followed = this.own(new FollowedResources(servers));
    this.refresher = this.own(new ResourceRefresher(this.followed, reader, this.editors));
    this.watched = this.own(new WatchList(this.followed, state));
    const live = this.own(new LiveEditors(this.followed));
    this.marks = this.own(new ChangeMarks(reader, live, this.watched));
    this.own(new ResourceBadges(this.followed, live, this.watched, this.marks));
    this.own(keepContext(live, this.watched));
    this.#notices = lazy(() => this.own(new WatchNotices(servers, this.watched, this.marks, notices)));
    this.own(
      this.refresher.onDidRefresh(refreshed => {
        if (this.watched.has(refreshed.address)) this.#notices().onRefresh(refreshed);
      }),
    );
  }

  /** Compares a watched resource as the person last saw it with what it is now. False: that is not known. */
  showChanges(target: ResourceTarget): boolean {
    return this.#notices().showChanges(target);
  }
}

/** Badges in the Resources view for resources that are open or watched: live, or changed meanwhile. */
class ResourceBadges extends Owner implements vscode.FileDecorationProvider {
  readonly #changed = this.own(new vscode.EventEmitter<undefined>());
  readonly onDidChangeFileDecorations = this.#changed.event;
  /** Refreshes all rows at once: few have a badge, and the editor asks only for those that are visible. */
  readonly #update = this.own(new Coalescer(() => this.#changed.fire(undefined), { quietMs: 50, maxMs: 250 }));

  constructor(
    private readonly followed: FollowedResources,
    private readonly editors: LiveEditors,
    private readonly watched: WatchList,
    private readonly marks: ChangeMarks,
  ) {
    super();
    const update = () => this.#update.trigger();
    const of = (change: (listener: () => void) => Disposable) => this.own(change(update));
    [followed.onDidChangeState, editors.onDidChange, watched.onDidChange, marks.onDidChange].forEach(of);
    this.own(vscode.window.registerFileDecorationProvider(this));
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const address = isOfRow(uri) ? parseResourceUri(uri) : undefined;
    return address && this.#decoration(address);
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
