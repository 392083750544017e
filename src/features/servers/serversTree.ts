import vscode = require('vscode');

import type { HostError } from '../../base/errors';
import { type Event, getOrInsert, Owner, until } from '../../base/events';
import type { Phrase } from '../../base/phrase';
import { Coalescer } from '../../base/queue';
import { reasonText, remedyText, summaryText } from '../../editor/errorText';
import { onDidLoadIcons } from '../../editor/icons';
import { remedyIcon } from '../../editor/remedyTexts';
import {
  type DetailNode,
  type ItemNode,
  isMarked,
  leftOut,
  loadMoreItem,
  MAX_ROWS,
  type MessageIcon,
  type RowMark,
  type RowMarks,
  restText,
  type ServerNode,
} from '../../editor/serverRows';
import { WAITING_ICONS } from '../../editor/stateText';
import { remediesOf, type ServerConnection, type ServerSet, type ServerState } from '../../host';
import { CATALOG_KINDS, type CatalogKind } from '../../host/catalog';
import type { OfferedTools } from '../profiles';
import { catalogItem, catalogTooltip, instructionsItem } from './catalogRows';
import { listItem, messageItem, remedyItem, serverItem, serverTooltip } from './serverItems';

const MAX_STDERR_ROWS = 3;
/** How long a tooltip with times and durations stays as it was built. */
const TOOLTIP_MS = 30_000;
/** Once the editor has redrawn rows, it leaves further changes for 200 ms: those of one moment are announced together. */
const TOGETHER = { quietMs: 15, maxMs: 100 };
/** How long the row of a server that is ready waits for its lists. */
const LISTS_MS = 150;

interface TreeSources {
  readonly servers: ServerSet;
  readonly marks: RowMarks;
  readonly offered: Pick<OfferedTools, 'problem'>;
  /** The rows of a ready server besides its lists. */
  readonly details: (server: ServerConnection) => readonly DetailNode[];
  /** Fires with the row that has changed, a server whose rows have, or undefined for all. */
  readonly onDidChangeRows: Event<DetailNode | ServerConnection | undefined>;
  /** The first part of a server's row: what runs on it, or what concerns its author. */
  readonly news: (server: ServerConnection) => string | undefined;
  /** The share of a model's window that its tool definitions take. */
  readonly toolTokens: (server: ServerConnection) => number;
  /** Lines for its tooltip. */
  readonly notes: (server: ServerConnection) => readonly string[];
}

/** The Servers view: every configured server with its state, and below it what it offers. */
export class ServersTree extends Owner implements vscode.TreeDataProvider<ServerNode> {
  readonly #announced = this.own(new vscode.EventEmitter<ServerNode[] | undefined>());
  readonly onDidChangeTreeData = this.#announced.event;
  /** Rows that have changed and are not announced yet; undefined: all. */
  readonly #changed = new Set<ServerNode | undefined>();
  readonly #announce = this.own(new Coalescer(() => this.#announceRows(), TOGETHER));
  /** When the first of them changed. */
  #changedAt = 0;
  /** Rows keep their identity, so that one of them can be refreshed alone and stays expanded. */
  readonly #rows = new WeakMap<ServerConnection, ServerNode>();
  /** Rows whose tooltip has to be rebuilt. */
  readonly #tooltipTimers = new Map<ServerNode, NodeJS.Timeout>();

  constructor(private readonly sources: TreeSources) {
    super();
    const { servers, marks, onDidChangeRows } = sources;
    this.own(servers.onDidChange(change => this.#change(change && this.#row(change.server))));
    this.own(onDidChangeRows(changed => this.#change(changed && ('type' in changed ? changed : this.#row(changed)))));
    this.own(onDidLoadIcons(() => this.#change(undefined)));
    this.own(
      marks.onDidChange(id => {
        const server = id === undefined ? undefined : servers.get(id);
        this.#change(server && this.#row(server));
      }),
    );
  }

  getTreeItem(node: ServerNode): vscode.TreeItem {
    switch (node.type) {
      case 'server':
        return serverItem(node.server, {
          changes: this.sources.marks.changes(node.server),
          dev: this.sources.news(node.server),
        });
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
        return instructionsItem(node, this.sources.marks.instructions(node.server) ?? 'changed');
      case 'item':
        return catalogItem(node, this.#mark(node), this.#problem(node));
    }
  }

  /** Why a tool is not offered to models. */
  #problem({ kind, item }: ItemNode): Phrase | undefined {
    return kind === 'tools' ? this.sources.offered.problem(item) : undefined;
  }

  /** Called when a row is hovered over that has no tooltip yet. */
  resolveTreeItem(item: vscode.TreeItem, node: ServerNode): vscode.TreeItem {
    if (node.type === 'item') item.tooltip = catalogTooltip(node, this.#mark(node), this.#problem(node));
    if (node.type !== 'server') return item;
    const { server } = node;
    item.tooltip = serverTooltip(
      server,
      server.state.kind === 'ready' ? this.sources.toolTokens(server) : 0,
      this.sources.notes(server),
    );
    // The editor keeps the tooltip until the row changes, so the row is refreshed after a while.
    clearTimeout(this.#tooltipTimers.get(node));
    const timer = setTimeout(() => {
      this.#tooltipTimers.delete(node);
      this.#change(node);
    }, TOOLTIP_MS);
    this.#tooltipTimers.set(node, timer);
    return item;
  }

  getChildren(node?: ServerNode): ServerNode[] {
    if (!node) return this.sources.servers.all.map(server => this.#row(server));
    if (node.type === 'server') return this.#lists(node.server);
    if (node.type === 'list') return this.#items(node.server, node.kind);
    return node.type === 'detail' ? [...(node.children?.() ?? [])] : [];
  }

  override dispose(): void {
    super.dispose();
    for (const timer of this.#tooltipTimers.values()) clearTimeout(timer);
  }

  /** Items that a server listed last time are marked once it is back. */
  #mark(node: ItemNode): RowMark | undefined {
    const { server, kind } = node;
    return isMarked(node) && !server.catalog.list(kind).cached ? this.sources.marks.of(server, node) : undefined;
  }

  #change(row: ServerNode | undefined): void {
    if (this.#changed.size === 0) this.#changedAt = performance.now();
    this.#changed.add(row);
    this.#announce.trigger();
  }

  #announceRows(): void {
    const rows = [...this.#changed].filter(row => row !== undefined);
    const isAll = this.#changed.has(undefined);
    if (!isAll && rows.every(isBeingListed) && performance.now() < this.#changedAt + LISTS_MS) {
      this.#announce.trigger();
      return;
    }
    this.#changed.clear();
    this.#announced.fire(isAll ? undefined : rows);
  }

  /** Returns the row of a server once the editor knows that it may have changed: before that, it cannot be revealed. */
  async announcedRow(server: ServerConnection): Promise<ServerNode> {
    await until(() => this.#changed.size === 0, [this.onDidChangeTreeData], { limitMs: LISTS_MS * 10 });
    return this.#row(server);
  }

  #row(server: ServerConnection): ServerNode {
    return getOrInsert(this.#rows, server, () => ({ type: 'server', server }));
  }

  #lists(server: ServerConnection): ServerNode[] {
    const { state } = server;
    const failure = 'error' in state ? [stateRow(server, state), ...adviceRows(server, state)] : [];
    // Something that waits for the person must not look as if it worked.
    if ('error' in state && state.kind !== 'reconnecting') return failure;
    const kinds = CATALOG_KINDS.filter(kind => server.catalog.list(kind).status !== 'unsupported');
    const news = this.sources.marks.instructions(server)
      ? [{ type: 'instructions', server, kind: 'instructions' } as const]
      : [];
    const lists = kinds.map(kind => ({ type: 'list', server, kind }) as const);
    return [...failure, ...news, ...lists, ...(server.info ? this.sources.details(server) : [])];
  }

  #items(server: ServerConnection, kind: CatalogKind): ServerNode[] {
    void server.catalog.refreshIfStale(kind, 'view');
    const list = server.catalog.list(kind);
    const { items, status, error, more, cached } = list;
    const failure =
      status === 'failed' && error
        ? [messageRow(server, summaryText(error), 'error'), ...failureRows(server, error)]
        : [];
    const missing = leftOut(list).map((text): ServerNode => ({ type: 'message', server, text, icon: 'warning' }));
    const rows = items.slice(0, MAX_ROWS).map(item => ({ type: 'item', server, kind, item }) as ItemNode);
    const text = restText(items.length);
    const rest = text === undefined ? [] : [messageRow(server, text, 'ellipsis')];
    return [...failure, ...missing, ...rows, ...rest, ...(more && !cached ? [{ type: 'more', server } as const] : [])];
  }
}

function isBeingListed({ server }: ServerNode): boolean {
  return server.state.kind === 'ready' && CATALOG_KINDS.some(kind => server.catalog.list(kind).status === 'loading');
}

/** What to do about a state. Where the person is to answer, the row that lets them says it all. */
function adviceRows(
  server: ServerConnection,
  { kind, error }: ServerState & { readonly error: HostError },
): ServerNode[] {
  const isAnswer = kind === 'needsTrust' || kind === 'needsInput';
  return [...(isAnswer ? [] : failureRows(server, error)), ...remedyRows(server)];
}

function remedyRows(server: ServerConnection): ServerNode[] {
  const remedies = remediesOf(server).filter(remedy => remedyIcon(remedy) !== undefined);
  return remedies.map(remedy => ({ type: 'remedy', server, remedy }));
}

/** Failures whose remedy is a change of the settings entry. */
const OF_ENTRY = new Set<HostError['code']>([
  'COMMAND_NOT_FOUND',
  'FOLDER_NOT_FOUND',
  'HTTP_STATUS',
  'INVALID_SETTINGS',
  'NOT_MCP',
  'PACKAGE_NOT_FOUND',
  'SANDBOX_RULES',
  'SCRIPT_NOT_FOUND',
  'SPAWN_FAILED',
  'UNREACHABLE',
]);

const messageRow = (server: ServerConnection, text: string, icon: MessageIcon): ServerNode & { type: 'message' } => ({
  type: 'message',
  server,
  text,
  icon,
});

/** Why a server does not run, in full. What waits for the person is no failure. */
function stateRow(server: ServerConnection, state: ServerState & { readonly error: HostError }): ServerNode {
  const waiting: { readonly [K in ServerState['kind']]?: MessageIcon } = WAITING_ICONS;
  return messageRow(server, reasonText(state.error), waiting[state.kind] ?? 'error');
}

/**
 * The remedy of a failure, and what a process printed last: each on its own row, so that it can be read in full. Of a long output,
 * only the line that says what went wrong, which opens the log there.
 */
function failureRows(server: ServerConnection, error: HostError): ServerNode[] {
  const remedy = remedyText(error);
  const printed = error.stderr(error.tellingAt === undefined ? MAX_STDERR_ROWS : 1);
  const advice = messageRow(server, remedy ?? '', 'lightbulb');
  return [
    ...(remedy ? [OF_ENTRY.has(error.code) ? { ...advice, opens: 'settings' as const } : advice] : []),
    ...printed.map(line => messageRow(server, line, 'terminal')),
  ];
}
