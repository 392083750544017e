import type { Resource } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import type { CatalogList, ServerChange, ServerConnection } from '../../host';
import { leftOut, loadMoreItem } from '../servers/listRows';
import type { ServerSet } from '../servers/serverSet';
import { type Folder, folderTree } from './folders';
import { folderItem, messageItem, resourceItem, resourceTooltip, serverItem } from './items';
import type { ResourceNode } from './nodes';

const { t } = vscode.l10n;

/**
 * The Resources view: the servers that have resources, and these in the folders of their URIs; grey, from last time, those
 * of a server that is not up.
 */
export class ResourcesTree implements vscode.TreeDataProvider<ResourceNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<ResourceNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscription: vscode.Disposable;
  /** Rows keep their identity, so that one of them can be refreshed alone. */
  readonly #rows = new WeakMap<ServerConnection, ResourceNode>();
  /** The list that each server's row shows. Servers without a row have none. */
  readonly #shown = new Map<ServerConnection, CatalogList<Resource>>();
  /** Folders of a list, made once: the editor asks for them at every change. */
  readonly #folders = new WeakMap<readonly Resource[], Folder<Resource>>();

  constructor(private readonly servers: ServerSet) {
    this.#subscription = servers.onDidChange(change => this.#onChange(change));
  }

  getTreeItem(node: ResourceNode): vscode.TreeItem {
    switch (node.type) {
      case 'server':
        return serverItem(node.server, this.servers.all.length === 1);
      case 'folder':
        return folderItem(node.folder.label);
      case 'resource':
        return resourceItem(node);
      case 'more':
        return loadMoreItem(node);
      case 'message':
        return messageItem(node);
    }
  }

  resolveTreeItem(item: vscode.TreeItem, node: ResourceNode): vscode.TreeItem {
    if (node.type === 'resource') item.tooltip = resourceTooltip(node.resource);
    return item;
  }

  getChildren(node?: ResourceNode): ResourceNode[] {
    switch (node?.type) {
      case undefined:
        return this.#serverRows();
      case 'server':
        return this.#rowsOf(node.server);
      case 'folder':
        return childrenOf(node.server, node.folder);
      default:
        return [];
    }
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  #onChange(change: ServerChange | undefined): void {
    if (!change) {
      this.#changed.fire(undefined);
      return;
    }
    const { server } = change;
    const before = this.#shown.get(server);
    const now = listOf(server);
    // A row comes or goes.
    if (!before || !now) {
      if (before || now) this.#changed.fire(undefined);
      return;
    }
    this.#shown.set(server, now);
    if (!looksSame(before, now)) this.#changed.fire(this.#rows.get(server));
  }

  #serverRows(): ResourceNode[] {
    this.#shown.clear();
    for (const server of this.servers.all) {
      const list = listOf(server);
      if (list) this.#shown.set(server, list);
    }
    return [...this.#shown.keys()].map(server => this.#row(server));
  }

  #row(server: ServerConnection): ResourceNode {
    const row = this.#rows.get(server) ?? { type: 'server', server };
    this.#rows.set(server, row);
    return row;
  }

  #rowsOf(server: ServerConnection): ResourceNode[] {
    void server.catalog.refreshIfStale('resources');
    const list = server.catalog.list('resources');
    const { items, status, error, more, cached } = list;
    const rows: ResourceNode[] = leftOut(list).map(text => ({ type: 'message', text, icon: 'warning' }));
    if (items.length > 0) rows.push(...childrenOf(server, this.#foldersOf(items)));
    if (more && !cached) rows.push({ type: 'more', server });
    if (status === 'failed') return [{ type: 'message', text: error?.message ?? '', icon: 'error' }, ...rows];
    if (rows.length > 0) return rows;
    if (status === 'loading') return [{ type: 'message', text: t('Loading…'), icon: 'loading~spin' }];
    return [{ type: 'message', text: t('It has no resources'), icon: 'info' }];
  }

  #foldersOf(items: readonly Resource[]): Folder<Resource> {
    const folders = this.#folders.get(items) ?? folderTree(items);
    this.#folders.set(items, folders);
    return folders;
  }
}

/** States in which what was listed last time is shown: nothing is wrong that a person has to mend. */
const SHOWS_CACHED = ['stopped', 'starting', 'ready', 'reconnecting'];

/** The resources that a server lists, or listed last; undefined when none are known or it has no such capability. */
function listOf(server: ServerConnection): CatalogList<Resource> | undefined {
  const list = server.catalog.list('resources');
  if (list.status === 'unsupported') return undefined;
  return server.state.kind === 'ready' || (list.cached && SHOWS_CACHED.includes(server.state.kind)) ? list : undefined;
}

/** A list that is asked for again looks as before until the answer is there. */
function looksSame(before: CatalogList<Resource>, now: CatalogList<Resource>): boolean {
  if (before.cached !== now.cached || before.more !== now.more || before.excluded !== now.excluded) return false;
  const isGood = ({ status, items }: CatalogList<Resource>) => status !== 'failed' && items.length > 0;
  return before === now || (before.items === now.items && isGood(before) && isGood(now));
}

function childrenOf(server: ServerConnection, { folders, resources }: Folder<Resource>): ResourceNode[] {
  return [
    ...folders.map(folder => ({ type: 'folder', server, folder }) as const),
    ...resources.map(resource => ({ type: 'resource', server, resource }) as const),
  ];
}
