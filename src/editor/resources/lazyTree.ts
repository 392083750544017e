import * as vscode from 'vscode';
import type { ResourceNode } from './nodes';
import type { ResourcesTree } from './tree';

/** The Resources view's provider; the rows' code is loaded when the view is first shown. */
export class LazyTree implements vscode.TreeDataProvider<ResourceNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<ResourceNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #loaded: ResourcesTree | undefined;

  constructor(private readonly load: () => ResourcesTree) {}

  get tree(): ResourcesTree {
    if (!this.#loaded) {
      this.#loaded = this.load();
      this.#loaded.onDidChangeTreeData(node => this.#changed.fire(node));
    }
    return this.#loaded;
  }

  getTreeItem(node: ResourceNode): vscode.TreeItem {
    return this.tree.getTreeItem(node);
  }

  getChildren(node?: ResourceNode): ResourceNode[] {
    return this.tree.getChildren(node);
  }

  getParent(node: ResourceNode): ResourceNode | undefined {
    return this.tree.getParent(node);
  }

  resolveTreeItem(item: vscode.TreeItem, node: ResourceNode): vscode.TreeItem {
    return this.tree.resolveTreeItem(item, node);
  }

  dispose(): void {
    this.#loaded?.dispose();
    this.#changed.dispose();
  }
}
