import type { Resource } from '@modelcontextprotocol/client';
import { errorText } from '../../editor/errorText';
import { t } from '../../editor/window';

import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import { onDidLoadIcons } from '../../editor/icons';
import { leftOut, loadMoreItem } from '../../editor/serverRows';
import type { ServerChange, ServerConnection, ServerSet } from '../../host';
import type { CatalogList } from '../../host/catalog';
import { type Folder, folderTree } from './core/resourceFolders';
import type { ResourceNode } from './core/resourceNodes';
import type { WatchedResources } from './core/watchedResources';
import {
  folderItem,
  recentItem,
  resourceItem,
  resourceMessageItem,
  resourceServerItem,
  resourceTooltip,
} from './resourceItems';
import type { ResourceOrder } from './resourceOrder';
import type { TemplateMemory } from './templates/templateMemory';
import { TemplateRows, templatesItem } from './templates/templateRows';

/** The state that the view shows in addition to the servers' lists. */
interface ResourcesTreeState {
  readonly memory: TemplateMemory;
  readonly order: ResourceOrder;
  readonly watched: WatchedResources;
}

/**
 * The Resources view: the servers that have resources, with the resources in the folders of their URIs. If a server is not
 * up, what it had last time is shown in grey.
 */
export class ResourcesTree implements vscode.TreeDataProvider<ResourceNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<ResourceNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #disposables = new DisposableStore();
  readonly #templates: TemplateRows;
  /** So that the editor can reveal a row. */
  readonly #parents = new WeakMap<ResourceNode, ResourceNode>();
  /** Rows keep their identity, so that one of them can be refreshed alone. */
  readonly #rows = new WeakMap<ServerConnection, ResourceNode>();
  /** The list that each server's row shows. Servers without a row have no entry. */
  readonly #shown = new Map<ServerConnection, CatalogList<Resource>>();
  /** The folders of a list, cached because the editor asks for them at every change. */
  #folders = new WeakMap<readonly Resource[], Folder<Resource>>();

  constructor(
    private readonly servers: ServerSet,
    private readonly state: Partial<ResourcesTreeState> = {},
  ) {
    const { memory, order, watched } = state;
    this.#templates = new TemplateRows(memory);
    const listeners = [
      servers.onDidChange(change => this.#onChange(change)),
      memory?.onDidChange(id => this.#refresh(servers.get(id))),
      order?.onDidChange(() => {
        this.#folders = new WeakMap();
        this.#changed.fire(undefined);
      }),
      watched?.onDidChange(() => this.#changed.fire(undefined)),
      onDidLoadIcons(() => this.#changed.fire(undefined)),
    ];
    for (const listener of listeners) if (listener) this.#disposables.add(listener);
  }

  getTreeItem(node: ResourceNode): vscode.TreeItem {
    switch (node.type) {
      case 'server':
        return resourceServerItem(node.server, this.servers.all.length === 1);
      case 'folder':
        return folderItem(node.folder.label);
      case 'resource':
        return resourceItem(node, { order: this.state.order?.value, watched: this.state.watched });
      case 'more':
        return loadMoreItem(node);
      case 'recent':
        return recentItem(node);
      case 'templates':
        return templatesItem(node.server);
      case 'template':
        return this.#templates.templateItem(node);
      case 'message':
        return resourceMessageItem(node);
    }
  }

  resolveTreeItem(item: vscode.TreeItem, node: ResourceNode): vscode.TreeItem {
    if (node.type === 'resource' || node.type === 'recent') item.tooltip = resourceTooltip(node.resource);
    return item;
  }

  getParent(node: ResourceNode): ResourceNode | undefined {
    return this.#parents.get(node);
  }

  getChildren(node?: ResourceNode): ResourceNode[] {
    const children = this.#childrenOf(node);
    if (node) for (const child of children) this.#parents.set(child, node);
    return children;
  }

  /** The row of a resource, listed or recent; undefined when there is none. */
  find(server: ServerConnection, uri: string): ResourceNode | undefined {
    const search = (node: ResourceNode): ResourceNode | undefined => {
      if (node.type === 'resource' || node.type === 'recent') return node.resource.uri === uri ? node : undefined;
      // Listed resources first, because the folder of templates is the first row.
      const children = this.getChildren(node).sort((a, b) => rankOf(a) - rankOf(b));
      for (const child of children) {
        const found = search(child);
        if (found) return found;
      }
      return undefined;
    };
    const row = this.getChildren().find(node => node.type === 'server' && node.server === server);
    return row && search(row);
  }

  #childrenOf(node?: ResourceNode): ResourceNode[] {
    switch (node?.type) {
      case undefined:
        return this.#serverRows();
      case 'server':
        return this.#rowsOf(node.server);
      case 'folder':
        return childrenOf(node.server, node.folder);
      case 'templates':
      case 'template':
        return this.#templates.children(node);
      default:
        return [];
    }
  }

  dispose(): void {
    this.#disposables.dispose();
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
    // A row appears or disappears.
    if (!before || !now) {
      if (before || now) this.#changed.fire(undefined);
      return;
    }
    this.#shown.set(server, now);
    if (!looksSame(before, now) || this.#templates.hasChanged(server)) this.#refresh(server);
  }

  #refresh(server: ServerConnection | undefined): void {
    const row = server && this.#rows.get(server);
    if (row) this.#changed.fire(row);
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
    void server.catalog.refreshIfStale('resources', 'view');
    const list = server.catalog.list('resources');
    const { items, status, error, more, cached } = list;
    const rows: ResourceNode[] = leftOut(list).map(text => ({ type: 'message', text, icon: 'warning' }));
    rows.push(...this.#templates.of(server));
    if (items.length > 0) rows.push(...childrenOf(server, this.#foldersOf(items)));
    if (more && !cached) rows.push({ type: 'more', server });
    if (status === 'failed') return [{ type: 'message', text: errorText(error), icon: 'error' }, ...rows];
    if (rows.length > 0) return rows;
    return [{ type: 'message', text: t('Loading…'), icon: 'loading~spin' }];
  }

  #foldersOf(items: readonly Resource[]): Folder<Resource> {
    const folders = this.#folders.get(items) ?? folderTree(items, this.state.order?.value);
    this.#folders.set(items, folders);
    return folders;
  }
}

/** States in which what was listed last time is shown: nothing is wrong that the person has to fix. */
const SHOWS_CACHED = ['stopped', 'starting', 'ready', 'reconnecting'];

/** The resources that a server lists, or listed last; undefined if it lacks the capability, or has neither these nor templates. */
function listOf(server: ServerConnection): CatalogList<Resource> | undefined {
  const list = server.catalog.list('resources');
  const isEmpty = ({ status, items, excluded }: CatalogList<unknown>) =>
    items.length === 0 && !excluded && status !== 'loading' && status !== 'failed';
  if (list.status === 'unsupported' || (isEmpty(list) && isEmpty(server.catalog.list('resourceTemplates'))))
    return undefined;
  return server.state.kind === 'ready' || (list.cached && SHOWS_CACHED.includes(server.state.kind)) ? list : undefined;
}

/** A list that is being reloaded looks as before until the answer arrives. */
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

const rankOf = ({ type }: ResourceNode): number => (type === 'templates' ? 1 : 0);
