import type * as vscode from 'vscode';
import { DisposableStore, lazy } from '../../base/events';
import type { ServerNotices } from '../../editor/serverNotices';
import type { ServerSet } from '../../host';
import { ChangeMarks, ResourceBadges } from './badges';
import { FollowedResources } from './core/followedResources';
import { LiveEditors } from './liveEditors';
import { OpenEditors } from './openEditors';
import { ResourceRefresher } from './refresher';
import type { Resources } from './resources';
import { WatchedContext } from './watchedContext';
import { WatchList } from './watchList';
import type { WatchNotices } from './watchNotices';

/** The parts of live resources. */
interface LiveResourcesParts {
  readonly servers: ServerSet;
  readonly resources: Pick<Resources, 'reader' | 'fileSystem' | 'hexView'>;
  readonly notices: ServerNotices;
  /** Loaded when a watched resource is first read again. */
  readonly later: () => { readonly WatchNotices: typeof WatchNotices };
  /** State of the workspace, for what is watched in it. */
  readonly state: vscode.Memento;
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

  constructor({ servers, resources: { reader, fileSystem, hexView }, notices, later, state }: LiveResourcesParts) {
    const own = <T extends vscode.Disposable>(disposable: T): T => this.#disposables.add(disposable);
    this.editors = own(new OpenEditors(servers, reader, fileSystem, hexView));
    this.followed = own(new FollowedResources(servers));
    this.refresher = own(new ResourceRefresher(this.followed, reader, this.editors));
    this.watched = own(new WatchList(this.followed, state));
    const live = own(new LiveEditors(this.followed));
    const marks = own(new ChangeMarks(reader, live, this.watched));
    own(new ResourceBadges(this.followed, live, this.watched, marks));
    own(new WatchedContext(live, this.watched));
    const tell = lazy(() => own(new (later().WatchNotices)(servers, this.watched, live, notices)));
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
