import vscode = require('vscode');

import { visible } from '../../base/text';
import { rowReason } from '../../editor/errorText';
import { plainTooltip } from '../../editor/markdown';
import { remedyCommand, remedyIcon } from '../../editor/remedyTexts';
import { countText, listIcon, type MessageIcon, type ServerNode } from '../../editor/serverRows';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { CatalogKind, CatalogList } from '../../host/catalog';
import { stateIcon, stateText, warningText } from './stateText';

/** What a row shows besides the connection. */
interface ServerMarks {
  /** How many changes wait for a review. */
  readonly changes: number;
  /** News for its author. */
  readonly dev: string | undefined;
  /** Whether it runs a bundle that the person installed. */
  readonly isBundle: boolean;
}

/**
 * The row of one server. Its name is the configured one; the server's own name is in the hover. The tooltip is left to
 * `resolveTreeItem`: it shows health, which changes while the row does not, and facts that are determined on demand.
 */
export function serverItem(server: ServerConnection, { changes, dev, isBundle }: ServerMarks): vscode.TreeItem {
  const { state, definition } = server;
  const kinds = Object.keys(KIND_LABELS) as CatalogKind[];
  const isKnown = kinds.some(kind => server.catalog.known(kind).length > 0);
  const expandable = state.kind === 'ready' || 'error' in state || isKnown;
  const item = new vscode.TreeItem(
    server.name,
    expandable ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  item.id = server.id;
  const news = changes === 0 ? '' : changes === 1 ? t('1 change to review') : t('{0} changes to review', changes);
  const warning = state.kind === 'ready' ? warningText(definition) : '';
  item.description = [definition.source.folder?.name, dev, news, warning, ...stateDescription(server)]
    .filter(Boolean)
    .join(' · ');
  item.iconPath = stateIcon(state, changes === 0 && warning === '');
  const disabled = definition.entry?.enabled === false ? '.disabled' : '';
  item.contextValue = `server.${state.kind}${disabled}${definition.entry?.type === 'stdio' ? '.code' : ''}${isBundle ? '.bundle' : ''}${changes > 0 ? '.changes' : ''}${server.account.signedIn ? '.signedIn' : ''}`;
  const parts = [
    server.name,
    // The reason says it again.
    state.kind === 'needsTrust' ? '' : stateText(server),
    definition.source.folder?.name,
    dev,
    news,
    warning,
    ...stateDescription(server),
  ];
  item.accessibilityInformation = { label: [...new Set(parts)].filter(Boolean).join(', ') };
  return item;
}

/** The row of one kind: "Tools 13". */
export function listItem(server: ServerConnection, kind: CatalogKind): vscode.TreeItem {
  const list = server.catalog.list(kind);
  const collapsible =
    list.items.length > 0 || list.excluded || list.status === 'failed'
      ? vscode.TreeItemCollapsibleState.Collapsed
      : vscode.TreeItemCollapsibleState.None;
  const item = new vscode.TreeItem(KIND_LABELS[kind], collapsible);
  item.id = `${server.id}\n${kind}`;
  item.description = countText(list);
  item.iconPath = listIcon(list.status === 'failed' ? 'error' : KIND_ICONS[kind], list);
  item.contextValue = `list.${kind}`;
  return item;
}

/** A row with a message; a click shows the server's log, which has the details, or the settings entry that is to be mended. */
export function messageItem({ server, text, icon, opens }: Extract<ServerNode, { type: 'message' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(server.redact(text), 1_000));
  const color = ICON_COLORS[icon];
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.tooltip = plainTooltip([server.redact(text)]);
  // A line of a process is looked for in the log.
  const row = icon === 'terminal' ? { server, line: text } : { server };
  item.command =
    opens === 'settings'
      ? { command: 'mcpHost.openServerSettings', title: t('Open Server Settings'), arguments: [{ server }] }
      : { command: 'mcpHost.showServerLog', title: t('Show Server Log'), arguments: [row] };
  return item;
}

/** A row with what can be done about a server; a click does it. */
export function remedyItem({ server, remedy }: Extract<ServerNode, { type: 'remedy' }>): vscode.TreeItem {
  const command = remedyCommand(remedy, server);
  const item = new vscode.TreeItem(visible(command.title, 300));
  item.iconPath = new vscode.ThemeIcon(remedyIcon(remedy) ?? 'wand');
  item.contextValue = 'remedy';
  item.command = command;
  return item;
}

const ICON_COLORS: { readonly [K in MessageIcon]?: string } = {
  error: 'testing.iconFailed',
  warning: 'testing.iconQueued',
};

const KIND_LABELS: Record<CatalogKind, string> = {
  tools: t('Tools'),
  prompts: t('Prompts'),
  resources: t('Resources'),
  resourceTemplates: t('Templates'),
};

export const KIND_ICONS: Record<CatalogKind, string> = {
  tools: 'tools',
  prompts: 'comment',
  resources: 'files',
  resourceTemplates: 'symbol-snippet',
};

function stateDescription(server: ServerConnection): string[] {
  const { state, catalog } = server;
  if (state.kind === 'failed') return [visible(rowReason(state.error), 120)];
  if (state.kind === 'reconnecting')
    return [...(state.isDown ? [] : [stateText(server)]), visible(rowReason(state.error), 120)];
  if (state.kind === 'needsTrust') return [visible(rowReason(state.error), 120)];
  if (state.kind !== 'ready') return [stateText(server)];
  // What it calls itself and the version of the protocol are in the hover: in a narrow view they would hide the counts.
  const counts = (Object.keys(KIND_LABELS) as CatalogKind[]).map(kind => countOf(kind, catalog.list(kind)));
  return [server.attempts ? t('confined') : '', ...counts].filter(text => text !== '');
}

function countOf(kind: CatalogKind, { items: { length }, more }: CatalogList<unknown>): string {
  if (length === 0) return '';
  const count = more ? `${length}+` : length;
  switch (kind) {
    case 'tools':
      return count === 1 ? t('1 tool') : verbatim('{0} tools', count);
    case 'prompts':
      return count === 1 ? t('1 prompt') : verbatim('{0} prompts', count);
    case 'resources':
      return count === 1 ? t('1 resource') : verbatim('{0} resources', count);
    case 'resourceTemplates':
      return count === 1 ? t('1 template') : verbatim('{0} templates', count);
  }
}
