import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import { getOrInsert, Owner } from '../../base/events';
import { visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { onDidLoadIcons, safeIcon } from '../../editor/icons';
import { plainTooltip } from '../../editor/markdown';
import { leftOut, loadMoreItem, MAX_ROWS, restText, treeItem } from '../../editor/serverRows';
import { t, verbatim } from '../../editor/window';
import type { ServerChange, ServerConnection, ServerSet } from '../../host';
import type { CatalogList } from '../../host/catalog';
import type { ChangeMarks } from './changeMarks';
import { type Folder, folderTree } from './core/resourceFolders';
import {
  folderItem,
  type ResourceNode,
  recentItem,
  resourceItem,
  resourceMessageItem,
  resourceServerItem,
  resourceTooltip,
} from './resourceItems';
import type { TemplateMemory } from './templateMemory';
import type { WatchList } from './watchList';

import vscode = require('vscode');

/** The state that the view shows in addition to the servers' lists. */
interface ResourcesTreeState {
  readonly memory: TemplateMemory;
  readonly watched: Pick<WatchList, 'has' | 'onDidChange'>;
  readonly marks: Pick<ChangeMarks, 'has' | 'isComparable' | 'onDidChange'>;
}

/** The Resources view: servers, with resources in the folders of their URIs; in grey while a server is not up. */
export class ResourcesTree extends Owner implements vscode.TreeDataProvider<ResourceNode> {
  readonly #changed = this.own(new vscode.EventEmitter<ResourceNode | undefined>());
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #templates: TemplateRows;
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
    super();
    const { memory, watched, marks } = state;
    this.#templates = new TemplateRows(memory);
    const listeners = [
      servers.onDidChange(change => this.#onChange(change)),
      memory?.onDidChange(id => this.#refresh(servers.get(id))),
      watched?.onDidChange(() => this.#changed.fire(undefined)),
      marks?.onDidChange(() => this.#changed.fire(undefined)),
      onDidLoadIcons(() => this.#changed.fire(undefined)),
    ];
    for (const listener of listeners) if (listener) this.own(listener);
  }

  getTreeItem(node: ResourceNode): vscode.TreeItem {
    switch (node.type) {
      case 'server':
        return resourceServerItem(node.server, this.servers.all.length === 1);
      case 'folder':
        return folderItem(node.folder.label);
      case 'resource':
        return resourceItem(node, this.state);
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
    if (node.type === 'template') item.tooltip = templateTooltip(node.template);
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
      case 'templates':
      case 'template':
        return this.#templates.children(node);
      default:
        return [];
    }
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
    return getOrInsert(this.#rows, server, () => ({ type: 'server', server }));
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
    return getOrInsert(this.#folders, items, () => folderTree(items));
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
  const shown = folders.slice(0, MAX_ROWS);
  return [
    ...shown.map(folder => ({ type: 'folder', server, folder }) as const),
    ...resources.slice(0, MAX_ROWS - shown.length).map(resource => ({ type: 'resource', server, resource }) as const),
    ...restRow(folders.length + resources.length),
  ];
}

/** What says that there are more, if there are. */
function restRow(count: number): ResourceNode[] {
  const text = restText(count);
  return text === undefined ? [] : [{ type: 'message', text, icon: 'ellipsis' }];
}

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

type TemplateNode = Extract<ResourceNode, { type: 'template' }>;

/** The rows of a server's resource templates in the Resources view, and what was opened through each. */
class TemplateRows {
  readonly #shown = new WeakMap<ServerConnection, readonly ResourceTemplateType[]>();

  constructor(private readonly memory: TemplateMemory | undefined) {}

  /** Whether the server's templates differ from those that are shown. */
  hasChanged(server: ServerConnection): boolean {
    return this.#shown.get(server) !== templatesOf(server).items;
  }

  /** The folder "Templates", if there are any, or the reason why they could not be listed. */
  of(server: ServerConnection): ResourceNode[] {
    const { items, status, error } = templatesOf(server);
    this.#shown.set(server, items);
    if (items.length > 0) return [{ type: 'templates', server }];
    return status === 'failed' ? [{ type: 'message', text: errorText(error), icon: 'error' }] : [];
  }

  children(node: ResourceNode): ResourceNode[] {
    const { server } = node as { server: ServerConnection };
    if (node.type === 'templates') {
      const { items } = templatesOf(server);
      const shown = items.slice(0, MAX_ROWS);
      return [
        ...shown.map((template, index) => ({ type: 'template', server, template, index }) as const),
        ...restRow(items.length),
      ];
    }
    if (node.type !== 'template') return [];
    const recent = this.memory?.recent(server.id, node.template.uriTemplate) ?? [];
    return recent.map(resource => ({ type: 'recent', server, template: node.template, resource }) as const);
  }

  templateItem(node: TemplateNode): vscode.TreeItem {
    const { uriTemplate, title, name, icons } = node.template;
    const label = visible(title || name);
    const hasRecent = this.children(node).length > 0;
    const { server, template } = node;
    const row = { server, kind: 'resourceTemplates', item: template };
    return treeItem(label, {
      // A new row once there is something below it: the editor would leave the old one collapsed.
      id: JSON.stringify([server.id, node.index, uriTemplate, hasRecent]),
      collapsibleState: hasRecent ? Expanded : None,
      description: visible(uriTemplate, 160),
      iconPath: safeIcon(icons, server) ?? new vscode.ThemeIcon('symbol-snippet'),
      contextValue: 'template',
      command: { command: 'mcpHost.openPage', title: t('Open'), arguments: [row] },
    });
  }
}

function templateTooltip({
  uriTemplate,
  title,
  name,
  description,
  mimeType,
}: ResourceTemplateType): vscode.MarkdownString {
  const label = visible(title || name);
  return plainTooltip([
    label === name ? label : `${label} (${visible(name)})`,
    description,
    visible(uriTemplate, 1_000),
    mimeType && verbatim('Type: {0}', visible(mimeType)),
  ]);
}

/** The row that holds a server's templates. */
const templatesItem = (server: ServerConnection): vscode.TreeItem =>
  treeItem(t('Templates'), {
    collapsibleState: Collapsed,
    description: String(templatesOf(server).items.length),
    iconPath: new vscode.ThemeIcon('symbol-snippet'),
    contextValue: 'templates',
  });

const templatesOf = (server: ServerConnection) => server.catalog.list('resourceTemplates');
