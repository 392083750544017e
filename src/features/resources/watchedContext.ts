import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import type { LiveEditors } from './liveEditors';
import { openResources } from './openResources';
import type { WatchList } from './watchList';

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
