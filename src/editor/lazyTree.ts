import vscode = require('vscode');

import type { Event } from '../base/events';

/** What shows the rows of a view. */
export interface Rows<N> {
  readonly onDidChangeTreeData: vscode.Event<N | undefined>;
  getChildren(node?: N): N[];
  getParent?(node: N): N | undefined;
  getTreeItem(node: N): vscode.TreeItem;
  resolveTreeItem(item: vscode.TreeItem, node: N): vscode.TreeItem;
}

/** The provider of a view whose rows come from code that is loaded later; until then there are none. */
export class LazyTree<N> implements vscode.TreeDataProvider<N>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<N | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscriptions: { dispose(): void }[];
  #rows: Rows<N> | undefined;

  /**
   * @param load undefined while there are no rows.
   * @param onDidChange fires when that may have changed.
   */
  constructor(
    private readonly load: () => Rows<N> | undefined,
    onDidChange: Event<unknown>,
  ) {
    this.#subscriptions = [this.#changed, onDidChange(() => this.#rows ?? this.#changed.fire(undefined))];
  }

  getTreeItem(node: N): vscode.TreeItem {
    return this.#loaded?.getTreeItem(node) ?? new vscode.TreeItem('');
  }

  getChildren(node?: N): N[] {
    return this.#loaded?.getChildren(node) ?? [];
  }

  getParent(node: N): N | undefined {
    return this.#loaded?.getParent?.(node);
  }

  resolveTreeItem(item: vscode.TreeItem, node: N): vscode.TreeItem {
    return this.#loaded?.resolveTreeItem(item, node) ?? item;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  get #loaded(): Rows<N> | undefined {
    if (!this.#rows) {
      this.#rows = this.load();
      const changes = this.#rows?.onDidChangeTreeData(node => this.#changed.fire(node));
      if (changes) this.#subscriptions.push(changes);
    }
    return this.#rows;
  }
}
