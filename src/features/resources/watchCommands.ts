import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import { plain, visible } from '../../base/text';
import { rowText } from '../../editor/rowText';
import { t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import { resourceFileName } from './core/fileName';
import type { FollowedResources } from './core/followedResources';
import type { ResourceAddress } from './core/resourceAddress';
import type { LiveEditors } from './liveEditors';
import { openResources } from './openResources';
import type { ResourceRefresher } from './refresher';
import { resourceTarget } from './resourceTarget';
import type { WatchList } from './watchList';

/** "Watch" and "Unwatch" on a row, or on what the active editor shows. */
export class WatchCommands {
  constructor(
    private readonly servers: ServerSet,
    private readonly followed: FollowedResources,
    private readonly watched: WatchList,
    private readonly refresher: ResourceRefresher,
  ) {}

  async watch(argument: unknown): Promise<void> {
    const { server, resource, address } = this.#target(argument);
    const name = visible(resourceFileName(resource));
    if (server.info && !server.info.capabilities.resources?.subscribe) {
      void window.showInformationMessage(
        plain(
          t(
            'Server "{0}" does not report changes to "{1}". To see changes, refresh it in the Resources view.',
            server.name,
            name,
          ),
        ),
      );
      return;
    }
    this.watched.add(address);
    window.setStatusBarMessage(t('Watching {0}', rowText(name)), 3_000);
    // Later changes are compared with what is there now.
    if (this.followed.state(address) === 'live') await this.refresher.refresh(address);
    else if (server.info && !(await this.#becomesLive(address))) {
      this.watched.delete(address);
      throw new Error(t('Server "{0}" refused to report changes to "{1}". Its log says why.', server.name, name));
    }
  }

  unwatch(argument: unknown): void {
    this.watched.delete(this.#target(argument).address);
  }

  /** False if the server refuses. Undecided until it is ready, because the subscription is requested later. */
  #becomesLive(address: ResourceAddress): Promise<boolean> {
    return new Promise(resolve => {
      const check = () => {
        const state = this.followed.state(address);
        if (state === 'pending') return;
        listener.dispose();
        resolve(state === 'live' || state === undefined);
      };
      const listener = this.followed.onDidChangeState(check);
      check();
    });
  }

  #target(argument: unknown) {
    const target = resourceTarget(this.servers, argument);
    if (!target) throw new Error(t('Select a resource in the Resources view, or open one first.'));
    return { ...target, address: { serverId: target.server.id, uri: target.resource.uri } };
  }
}

/** Tells the menu of an editor whether its resource is watched: `resource in mcpHost.watched`. */
const CONTEXT_KEY = 'mcpHost.watched';

/** Keeps the context key of the watched editors. */
export class WatchedContext implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  #value = '';

  constructor(
    editors: LiveEditors,
    private readonly watched: WatchList,
  ) {
    this.#disposables.add(editors.onDidChange(() => this.#update()));
    this.#disposables.add(watched.onDidChange(() => this.#update()));
    this.#update();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #update(): void {
    const uris = openResources()
      .filter(({ address }) => this.watched.has(address))
      .map(({ uri }) => uri.toString());
    if (uris.join('\n') === this.#value) return;
    this.#value = uris.join('\n');
    void vscode.commands.executeCommand('setContext', CONTEXT_KEY, uris);
  }
}
