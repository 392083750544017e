import type { Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { visible } from '../../base/text';
import type { CatalogList } from '../../host/catalog';
import { localized } from '../errorText';
import { t, verbatim } from '../window';

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

/** The last row of a list that has more pages. */
export function loadMoreItem(node: unknown): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Load more…'));
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.contextValue = 'more';
  item.command = { command: 'mcpHost.loadMoreResources', title: t('Load More'), arguments: [node] };
  return item;
}

/** The server's hints about its tool; they are not facts. */
export function hintsOf(tool: Pick<Tool, 'annotations'> | undefined): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool?.annotations ?? {};
  return [
    readOnlyHint && t('read-only'),
    !readOnlyHint && destructiveHint && t('destructive'),
    !readOnlyHint && idempotentHint && t('idempotent'),
    openWorldHint && t('open world'),
  ].filter(hint => typeof hint === 'string');
}
