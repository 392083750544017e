import * as vscode from 'vscode';
import type { CatalogKind, CatalogList, ServerConnection, ServerState } from '../../host';
import { visible } from '../../host/text';
import { plainTooltip } from '../tooltip';
import { countText, listIcon } from './listRows';
import type { MessageIcon, ServerNode } from './nodes';

const { t } = vscode.l10n;

/** The row of one server. Its name is the configured one; what the server calls itself comes after. */
export function serverItem(server: ServerConnection): vscode.TreeItem {
  const { state, definition } = server;
  const kinds = Object.keys(KIND_LABELS) as CatalogKind[];
  const isKnown = kinds.some(kind => server.catalog.known(kind).length > 0);
  const expandable = state.kind === 'ready' || 'error' in state || isKnown;
  const item = new vscode.TreeItem(
    server.name,
    expandable ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  item.id = server.id;
  item.description = [definition.source.folder?.name, ...stateDescription(server)].filter(Boolean).join(' · ');
  item.iconPath = stateIcon(state);
  item.contextValue = `server.${state.kind}`;
  item.tooltip = serverTooltip(server);
  item.accessibilityInformation = {
    label: `${server.name}, ${state.kind}${item.description ? `, ${item.description}` : ''}`,
  };
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

/** A row that says something; a click shows the server's log, which says more. */
export function messageItem({ server, text, icon }: Extract<ServerNode, { type: 'message' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(server.redact(text), 1_000));
  const color = ICON_COLORS[icon];
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.tooltip = plainTooltip([server.redact(text)]);
  item.command = { command: 'mcpHost.showServerLog', title: t('Show Server Log'), arguments: [{ server }] };
  return item;
}

const ICON_COLORS: { readonly [K in MessageIcon]?: string } = {
  error: 'testing.iconFailed',
  warning: 'testing.iconQueued',
};

export const KIND_LABELS: Record<CatalogKind, string> = {
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

function stateIcon(state: ServerState): vscode.ThemeIcon {
  switch (state.kind) {
    case 'stopped':
      return new vscode.ThemeIcon('circle-outline');
    case 'starting':
      return new vscode.ThemeIcon('loading~spin');
    case 'ready':
      return new vscode.ThemeIcon('pass-filled', new vscode.ThemeColor('testing.iconPassed'));
    case 'reconnecting':
      return new vscode.ThemeIcon('sync~spin', new vscode.ThemeColor('testing.iconQueued'));
    case 'failed':
      return new vscode.ThemeIcon('error', new vscode.ThemeColor('testing.iconFailed'));
    case 'needsTrust':
      return new vscode.ThemeIcon('shield', new vscode.ThemeColor('testing.iconQueued'));
    case 'needsInput':
      return new vscode.ThemeIcon('edit', new vscode.ThemeColor('testing.iconQueued'));
    case 'needsAuth':
      return new vscode.ThemeIcon('key', new vscode.ThemeColor('testing.iconQueued'));
  }
}

function stateDescription({ state, catalog }: ServerConnection): string[] {
  if (state.kind === 'failed') return [visible(state.error.reason, 120)];
  if (state.kind === 'reconnecting') return [t('reconnecting…'), visible(state.error.reason, 120)];
  if (state.kind === 'needsTrust') return [t('waits for your consent')];
  if (state.kind === 'needsInput') return [t('waits for an input')];
  if (state.kind === 'needsAuth') return [t('asks for a sign-in')];
  if (state.kind !== 'ready') return [state.kind === 'starting' ? t('starting…') : t('stopped')];
  const { implementation, protocolVersion } = state.info;
  return [
    implementation
      ? `${visible(implementation.title ?? implementation.name, 60)} ${visible(implementation.version, 30)}`
      : '',
    protocolVersion,
    ...(Object.keys(KIND_LABELS) as CatalogKind[])
      .map(kind => countOf(kind, catalog.list(kind)))
      .filter(count => count !== ''),
  ];
}

function countOf(kind: CatalogKind, { items: { length }, more }: CatalogList<unknown>): string {
  if (length === 0) return '';
  const count = more ? `${length}+` : length;
  switch (kind) {
    case 'tools':
      return count === 1 ? t('1 tool') : t('{0} tools', count);
    case 'prompts':
      return count === 1 ? t('1 prompt') : t('{0} prompts', count);
    case 'resources':
      return count === 1 ? t('1 resource') : t('{0} resources', count);
    case 'resourceTemplates':
      return count === 1 ? t('1 template') : t('{0} templates', count);
  }
}

function serverTooltip(server: ServerConnection): vscode.MarkdownString {
  const { state, definition } = server;
  const { entry, source } = definition;
  const where = { user: t('user settings'), workspace: t('workspace settings'), workspaceFolder: t('folder settings') }[
    source.scope
  ];
  const launch = entry && (entry.type === 'stdio' ? [entry.command, ...entry.args].join(' ') : entry.url);
  const info = state.kind === 'ready' ? state.info : undefined;
  const warnings = definition.problems.map(({ message }) => message);
  const paragraphs = [
    `${server.name}: ${state.kind}`,
    'error' in state ? state.error.message : undefined,
    'error' in state && state.error.stderrTail.length > 0
      ? `stderr:\n${state.error.stderrTail.slice(-8).join('\n')}`
      : undefined,
    info?.implementation && `${info.implementation.title ?? info.implementation.name} ${info.implementation.version}`,
    info && t('Protocol {0} ({1} era) over {2}', info.protocolVersion, info.era, info.transport),
    launch && visible(server.redact(launch), 300),
    t('Configured in {0}', where),
    state.kind === 'ready' && state.pid !== undefined ? t('Process {0}', state.pid) : undefined,
    state.kind === 'ready' && warnings.length > 0 ? warnings.join('\n') : undefined,
    info?.instructions?.slice(0, 600),
  ];
  return plainTooltip(paragraphs.map(paragraph => paragraph && server.redact(paragraph)));
}
