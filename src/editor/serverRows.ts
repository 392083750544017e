import type { Prompt, Tool } from '@modelcontextprotocol/client';
import type { Event } from '../base/events';
import { numberText } from '../base/numberText';
import { type PlainText, plain, visible } from '../base/text';
import type { Remedy, RunningCall, ServerConnection } from '../host';
import type { CatalogItems, CatalogKind, CatalogList } from '../host/catalog';
import type { ServerId } from '../host/definition';
import { localized } from './errorText';
import { plainTooltip } from './markdown';
import { joined, t, verbatim } from './window';

import vscode = require('vscode');

export type MessageIcon = 'edit' | 'ellipsis' | 'error' | 'key' | 'lightbulb' | 'shield' | 'terminal' | 'warning';

/** A row of the Servers view. */
export type ServerNode =
  | { readonly type: 'server'; readonly server: ServerConnection }
  | { readonly type: 'list'; readonly server: ServerConnection; readonly kind: CatalogKind }
  | {
      /** Why something is not there, or what to do about it. */
      readonly type: 'message';
      readonly server: ServerConnection;
      readonly text: string;
      readonly icon: MessageIcon;
      /** What a click shows. Default: the log. */
      readonly opens?: 'settings';
    }
  /** Something that can be done about a server that is not ready. */
  | { readonly type: 'remedy'; readonly server: ServerConnection; readonly remedy: Remedy }
  /** The server's instructions, if they are not what was accepted. */
  | { readonly type: 'instructions'; readonly server: ServerConnection; readonly kind: 'instructions' }
  /** The rest of the resources, which is fetched when it is asked for. */
  | { readonly type: 'more'; readonly server: ServerConnection }
  | DetailNode
  | ItemNode;

/** A row below a server that comes from another bundle, such as its roots or running calls. It brings its own tree item. */
export interface DetailNode {
  readonly type: 'detail';
  readonly server: ServerConnection;
  item(): vscode.TreeItem;
  children?(): readonly DetailNode[];
  /** The call that commands on the row act on. */
  readonly call?: RunningCall;
}

/** One tool, prompt, resource or template of a server. */
export type ItemNode = {
  [K in CatalogKind]: {
    readonly type: 'item';
    readonly server: ServerConnection;
    readonly kind: K;
    readonly item: CatalogItems[K];
  };
}[CatalogKind];

const MARKED = ['tools', 'prompts'];

/** `new` since it was first offered to a model, `changed` since it was accepted, `blocked` for such a change. */
export type RowMark = 'new' | 'changed' | 'blocked';

/** Marks on rows of the Servers view that tell how an item compares with what the person has accepted. */
export interface RowMarks {
  /** The marks of one server changed, or, if undefined, those of all. */
  readonly onDidChange: Event<ServerId | undefined>;
  of(
    server: ServerConnection,
    item: { kind: 'tools'; item: Tool } | { kind: 'prompts'; item: Prompt },
  ): RowMark | undefined;
  instructions(server: ServerConnection): RowMark | undefined;
  /** How many changes wait for a person. */
  changes(server: ServerConnection): number;
}

/** Whether rows of this kind are marked: only those of items that models are given. */
export function isMarked<N extends { kind: string }>(node: N): node is N & { kind: 'tools' | 'prompts' } {
  return MARKED.includes(node.kind);
}

/** A row with all that is known of it. */
export const treeItem = (label: string, facts: Partial<vscode.TreeItem>): vscode.TreeItem =>
  Object.assign(new vscode.TreeItem(label), facts);

/** A row below a server that counts what is below it, such as "Events 3". */
interface CountedRow {
  /** Value of `contextValue`, and a part of the id. */
  readonly kind: string;
  readonly label: PlainText;
  readonly icon: string;
  readonly tooltip: PlainText;
  readonly count: number;
  readonly status: 'loading' | 'ready' | 'failed' | undefined;
  /** Behind the count. */
  readonly note: PlainText | false;
  readonly hasRows: boolean;
}

export function countedItem(server: ServerConnection, row: CountedRow): vscode.TreeItem {
  const { kind, label, icon, tooltip, count, status, note, hasRows } = row;
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const shownCount = count === 0 && status === 'loading' ? t('loading…') : plain(String(count));
  return treeItem(label, {
    id: `${server.id}\n${kind}`,
    collapsibleState: hasRows ? Collapsed : None,
    description: joined<PlainText>([shownCount, note], ' · '),
    iconPath: new vscode.ThemeIcon(status === 'failed' ? 'error' : icon),
    contextValue: kind,
    tooltip,
  });
}

/** Why something is not there. */
export const messageNode = (server: ServerConnection, text: string): DetailNode => ({
  type: 'detail',
  server,
  item: () =>
    treeItem(visible(text, 1_000), {
      iconPath: new vscode.ThemeIcon('warning', new vscode.ThemeColor('testing.iconQueued')),
      tooltip: plainTooltip([text]),
    }),
});

/** The gaps of a list, one sentence each: unusable items, and items beyond the limit. */
export function leftOut({ excluded = [], excludedMore = 0, cut }: CatalogList<unknown>): string[] {
  const rows = excluded.map(({ name, reason }) =>
    name
      ? verbatim('{0} was skipped: {1}', visible(name), localized(reason))
      : verbatim('An item was skipped: {0}', localized(reason)),
  );
  if (excludedMore > 0) rows.push(t('{0} more were skipped', excludedMore));
  if (cut?.unit === 'items') rows.push(t('More than {0} items are listed. The rest are not shown', cut.after));
  if (cut?.unit === 'pages') rows.push(t('More than {0} pages are listed. The rest are not shown', cut.after));
  if (cut?.unit === 'circle')
    rows.push(t('Its pages repeat after {0} items. If there are more, they are not shown', cut.after));
  return rows;
}

/** "12"; "1000+" if there are more than were fetched; "12 · from last time" until the server has listed them again. */
export function countText({ items, more, cached, status }: CatalogList<unknown>): string {
  if (status === 'loading' && items.length === 0) return t('loading…');
  const count = `${items.length}${more ? '+' : ''}`;
  return cached ? verbatim('{0} · from last time', count) : count;
}

/** The icon of a list or of an item in it, grey while it is only remembered. */
export function listIcon(icon: string, { cached }: CatalogList<unknown>): vscode.ThemeIcon {
  return new vscode.ThemeIcon(icon, cached && new vscode.ThemeColor('disabledForeground'));
}

/** Of one list: the editor takes all its rows anew with each change. */
export const MAX_ROWS = 5_000;

/** That some of a list have no rows. Undefined: all have. */
export const restText = (count: number): string | undefined =>
  count > MAX_ROWS ? verbatim('{0} more rows are not shown here.', numberText(count - MAX_ROWS)) : undefined;

/** The last row of a list that has more pages. */
export const loadMoreItem = (node: unknown): vscode.TreeItem =>
  treeItem(t('Load more…'), {
    iconPath: new vscode.ThemeIcon('ellipsis'),
    contextValue: 'more',
    command: { command: 'mcpHost.loadMoreResources', title: t('Load More'), arguments: [node] },
  });

export const toolTitle = ({ name, title, annotations }: Tool, maxLength = 120): string =>
  visible(title ?? annotations?.title ?? name, maxLength);

/** The server's hints about its tool; they are not facts. */
export function hintsOf(tool: Pick<Tool, 'annotations'> | undefined): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool?.annotations ?? {};
  return [
    readOnlyHint && t('read-only'),
    !readOnlyHint && destructiveHint && t('destructive'),
    !readOnlyHint && idempotentHint && t('idempotent'),
    openWorldHint && t('may access other systems'),
  ].filter(hint => typeof hint === 'string');
}
