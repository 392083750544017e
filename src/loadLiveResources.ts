import type { ResourceAddress } from './editor/resources/address';
import type { LiveResources, LiveResourcesParts } from './editor/resources/liveResources';
import type { WatchedResources } from './editor/resources/watchList';
import type { ServerConnection } from './host';
import { type Disposable, DisposableStore, Emitter } from './host/events';

/**
 * Subscriptions in the editor, a bundle of its own (esbuild.js): loaded with the first server, for without servers there
 * is nothing to follow.
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
    this.#disposables.add(
      parts.servers.onDidChange(change => {
        if (change === undefined && parts.servers.all.length > 0) this.#load();
      }),
    );
  }

  has(address: ResourceAddress): boolean {
    return this.#loaded?.watched.has(address) ?? false;
  }

  /** Has the editors on resources of this server ask it again. */
  reload(server: ServerConnection): void {
    this.#load().editors.reload(server);
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
