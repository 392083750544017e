import * as vscode from 'vscode';
import type { ResourceAddress } from './editor/resources/address';
import type { LiveResources, LiveResourcesParts } from './editor/resources/liveResources';
import { openResources } from './editor/resources/openResources';
import { WATCHED_KEY, type WatchedResources } from './editor/resources/watchedResources';
import type { ServerConnection } from './host';
import { type Disposable, DisposableStore, Emitter } from './host/events';

/**
 * Subscriptions in the editor, a bundle of its own (esbuild.js): loaded when the first resource is open in an editor, or
 * when servers are there and one of their resources is watched. Before that there is nothing to follow.
 */
export class LiveResourcesLoader implements WatchedResources, Disposable {
  readonly commands: LiveResources['commands'] = {
    unwatchResource: argument => this.#load().commands.unwatchResource(argument),
    watchResource: argument => this.#load().commands.watchResource(argument),
  };
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #disposables = new DisposableStore();
  #loaded: LiveResources | undefined;

  constructor(private readonly parts: LiveResourcesParts) {
    this.#disposables.add(this.#changed);
    const loadIfNeeded = () => {
      const isWatching = parts.servers.all.length > 0 && parts.state.get<unknown[]>(WATCHED_KEY, []).length > 0;
      if (!this.#loaded && (isWatching || openResources().length > 0)) this.#load();
    };
    this.#disposables.add(vscode.window.tabGroups.onDidChangeTabs(loadIfNeeded));
    this.#disposables.add(parts.servers.onDidChange(change => change ?? loadIfNeeded()));
  }

  has(address: ResourceAddress): boolean {
    return this.#loaded?.watched.has(address) ?? false;
  }

  /** Has the editors on resources of this server ask it again. */
  reload(server: ServerConnection): void {
    this.#loaded?.editors.reload(server);
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #load(): LiveResources {
    if (!this.#loaded) {
      const { LiveResources } =
        require('./editor/resources/liveResources') as typeof import('./editor/resources/liveResources');
      this.#loaded = this.#disposables.add(new LiveResources(this.parts));
      this.#disposables.add(this.#loaded.watched.onDidChange(() => this.#changed.fire()));
      if (this.#loaded.watched.all.length > 0) this.#changed.fire();
    }
    return this.#loaded;
  }
}
