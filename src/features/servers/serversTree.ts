import vscode = require('vscode');

import { remedyText, summaryText } from '../../editor/errorText';
import { onDidLoadIcons } from '../../editor/icons';
import { remedyIcon } from '../../editor/remedyTexts';
import { leftOut, loadMoreItem } from '../../editor/servers/listRows';
import { isMarked, type RowMark, type RowMarks } from '../../editor/servers/rowMarks';
import type { ItemNode, MessageIcon, ServerNode } from '../../editor/servers/serverNodes';
import {
  type CatalogKind,
  type HostError,
  remediesOf,
  type ServerChange,
  type ServerConnection,
  type ServerSet,
} from '../../host';
import { catalogItem } from './catalogRows';
import { instructionsItem } from './markedItem';
import type { ServerDetails } from './serverDetails';
import { listItem, messageItem, remedyItem, serverItem } from './serverItems';
import { serverTooltip } from './serverTooltip';

const MAX_STDERR_ROWS = 5;
/** How long a tooltip with times and durations stays as it was built. */
const TOOLTIP_MS = 30_000;
const KINDS: readonly CatalogKind[] = ['tools', 'prompts', 'resources', 'resourceTemplates'];

/** What the tooltip of a server says besides its state. */
interface TooltipTexts {
  readonly toolTokens: (server: ServerConnection) => number;
  /** Lines on a server. */
  readonly notes: (server: ServerConnection) => readonly string[];
}

/** The Servers view: every configured server with its state, and below it what it offers. */
export class ServersTree implements vscode.TreeDataProvider<ServerNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<ServerNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscriptions: readonly { dispose(): void }[];
  /** Rows keep their identity, so that one of them can be refreshed alone and stays expanded. */
  readonly #rows = new WeakMap<ServerConnection, ServerNode>();
  /** Rows whose tooltip has to be rebuilt. */
  readonly #tooltipTimers = new Map<ServerNode, NodeJS.Timeout>();

  constructor(
    private readonly servers: ServerSet,
    private readonly details: ServerDetails,
    private readonly marks: RowMarks,
    private readonly texts: TooltipTexts,
  ) {
    this.#subscriptions = [
      servers.onDidChange(change => this.#onChange(change)),
      details.onDidChangeRows(changed =>
        this.#changed.fire(changed && ('type' in changed ? changed : this.#row(changed))),
      ),
      onDidLoadIcons(() => this.#changed.fire(undefined)),
      marks.onDidChange(id => {
        const server = id === undefined ? undefined : servers.get(id);
        this.#changed.fire(server && this.#row(server));
      }),
    ];
  }

  getTreeItem(node: ServerNode): vscode.TreeItem {
    switch (node.type) {
      case 'server':
        return serverItem(node.server, this.marks.changes(node.server), this.details.news(node.server));
      case 'list':
        return listItem(node.server, node.kind);
      case 'message':
        return messageItem(node);
      case 'remedy':
        return remedyItem(node);
      case 'more':
        return loadMoreItem(node);
      case 'detail':
        return node.item();
      case 'instructions':
        return instructionsItem(node, this.marks.instructions(node.server) ?? 'changed');
      case 'item':
        return catalogItem(node, this.#mark(node));
    }
  }

  /** Called when a row is hovered over that has no tooltip yet. */
  resolveTreeItem(item: vscode.TreeItem, node: ServerNode): vscode.TreeItem {
    if (node.type !== 'server') return item;
    const { server } = node;
    item.tooltip = serverTooltip(
      server,
      server.state.kind === 'ready' ? this.texts.toolTokens(server) : 0,
      this.texts.notes(server),
    );
    // The editor keeps the tooltip until the row changes, so the row is refreshed after a while.
    clearTimeout(this.#tooltipTimers.get(node));
    const timer = setTimeout(() => {
      this.#tooltipTimers.delete(node);
      this.#changed.fire(node);
    }, TOOLTIP_MS);
    this.#tooltipTimers.set(node, timer);
    return item;
  }

  getChildren(node?: ServerNode): ServerNode[] {
    if (!node) return this.servers.all.map(server => this.#row(server));
    if (node.type === 'server') return this.#lists(node.server);
    if (node.type === 'list') return this.#items(node.server, node.kind);
    return node.type === 'detail' ? [...(node.children?.() ?? [])] : [];
  }

  dispose(): void {
    for (const timer of this.#tooltipTimers.values()) clearTimeout(timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  /** Items that a server listed last time are marked once it is back. */
  #mark(node: ItemNode): RowMark | undefined {
    const { server, kind } = node;
    return isMarked(node) && !server.catalog.list(kind).cached ? this.marks.of(server, node) : undefined;
  }

  #onChange(change: ServerChange | undefined): void {
    this.#changed.fire(change && this.#row(change.server));
  }

  #row(server: ServerConnection): ServerNode {
    let row = this.#rows.get(server);
    if (!row) {
      row = { type: 'server', server };
      this.#rows.set(server, row);
    }
    return row;
  }

  #lists(server: ServerConnection): ServerNode[] {
    const { state } = server;
    const failure = 'error' in state ? [...failureRows(server, state.error), ...remedyRows(server)] : [];
    // Something that waits for the person must not look as if it worked.
    if ('error' in state && state.kind !== 'reconnecting') return failure;
    const kinds = KINDS.filter(kind => server.catalog.list(kind).status !== 'unsupported');
    const news = this.marks.instructions(server)
      ? [{ type: 'instructions', server, kind: 'instructions' } as const]
      : [];
    const lists = kinds.map(kind => ({ type: 'list', server, kind }) as const);
    const { running, more } = this.details.rows(server);
    // What comes and goes by itself stands last: a row that is pointed at must not become another.
    return [...failure, ...news, ...lists, ...more, ...running];
  }

  #items(server: ServerConnection, kind: CatalogKind): ServerNode[] {
    void server.catalog.refreshIfStale(kind);
    const list = server.catalog.list(kind);
    const { items, status, error, more, cached } = list;
    const failure = status === 'failed' && error ? failureRows(server, error) : [];
    const missing = leftOut(list).map((text): ServerNode => ({ type: 'message', server, text, icon: 'warning' }));
    const rows = items.map(item => ({ type: 'item', server, kind, item }) as ItemNode);
    return [...failure, ...missing, ...rows, ...(more && !cached ? [{ type: 'more', server } as const] : [])];
  }
}

/** What can be done about it, a row for each. */
function remedyRows(server: ServerConnection): ServerNode[] {
  const remedies = remediesOf(server).filter(remedy => remedyIcon(remedy) !== undefined);
  return remedies.map(remedy => ({ type: 'remedy', server, remedy }));
}

/** What failed, the remedy, and the last lines of a process: each on its own row, so that it can be read in full. */
function failureRows(server: ServerConnection, error: HostError): ServerNode[] {
  const row = (text: string, icon: MessageIcon): ServerNode => ({ type: 'message', server, text, icon });
  const remedy = remedyText(error);
  return [
    row(summaryText(error), 'error'),
    ...(remedy ? [row(remedy, 'lightbulb')] : []),
    ...error.stderrTail.slice(-MAX_STDERR_ROWS).map(line => row(line, 'terminal')),
  ];
}
