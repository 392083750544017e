import vscode = require('vscode');

import { type Event, Owner } from '../base/events';

/** Shows the rows of a view. */
export interface Rows<N> {
  /** Fires with what has changed: one row, several, or undefined for all. */
  readonly onDidChangeTreeData: vscode.Event<N | N[] | undefined>;
  getChildren(node?: N): N[];
  getParent?(node: N): N | undefined;
  getTreeItem(node: N): vscode.TreeItem;
  resolveTreeItem(item: vscode.TreeItem, node: N): vscode.TreeItem;
}

/**
 * The provider of a view whose rows come from code that is loaded later; until then there are none.
 *
 * When the whole view changes, the editor forgets all rows, but asks for them again only if the view has been drawn before: when
 * it is opened for the first time, it shows what it was given earlier. From then on it ignores changes of single rows, because it
 * knows none, and the view stays outdated. So changes are reported for the whole view until its rows have been requested.
 */
export class LazyTree<N> extends Owner implements vscode.TreeDataProvider<N> {
  readonly #changed = this.own(new vscode.EventEmitter<N | N[] | undefined>());
  readonly onDidChangeTreeData = this.#changed.event;
  #rows: Rows<N> | undefined;
  /** The editor has asked for the rows since the last change of all. */
  #isAskedFor = false;

  /** @param load undefined while there are no rows. @param onDidChange fires when that may have changed. */
  constructor(
    private readonly load: () => Rows<N> | undefined,
    onDidChange: Event<unknown>,
  ) {
    super();
    this.own(onDidChange(() => this.#rows ?? this.#fire(undefined)));
  }

  getTreeItem(node: N): vscode.TreeItem {
    return this.#loaded?.getTreeItem(node) ?? new vscode.TreeItem('');
  }

  getChildren(node?: N): N[] {
    if (node === undefined) this.#isAskedFor = true;
    return this.#loaded?.getChildren(node) ?? [];
  }

  getParent(node: N): N | undefined {
    return this.#loaded?.getParent?.(node);
  }

  resolveTreeItem(item: vscode.TreeItem, node: N): vscode.TreeItem {
    return this.#loaded?.resolveTreeItem(item, node) ?? item;
  }

  /** Draws the whole view again once, as soon as there is one: what it shows then may have been asked for before. */
  drawAgainWhenOpened(view: Pick<vscode.TreeView<N>, 'onDidChangeVisibility'>): void {
    const opened = view.onDidChangeVisibility(({ visible }) => {
      if (!visible) return;
      opened.dispose();
      this.#fire(undefined);
    });
    this.own(opened);
  }

  #fire(rows: N | N[] | undefined): void {
    const changed = this.#isAskedFor ? rows : undefined;
    if (changed === undefined) this.#isAskedFor = false;
    this.#changed.fire(changed);
  }

  get #loaded(): Rows<N> | undefined {
    if (!this.#rows) {
      this.#rows = this.load();
      const changes = this.#rows?.onDidChangeTreeData(rows => this.#fire(rows));
      if (changes) this.own(changes);
    }
    return this.#rows;
  }
}
