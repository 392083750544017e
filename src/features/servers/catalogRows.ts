import type { Phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { safeIcon } from '../../editor/icons';
import { plainTooltip } from '../../editor/markdown';
import { hintsOf, type ItemNode, listIcon, type RowMark, treeItem } from '../../editor/serverRows';
import { queuedIcon } from '../../editor/stateText';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { CatalogList } from '../../host/catalog';
import { KIND_ICONS } from './serverItems';

import vscode = require('vscode');

/** More arguments are not named in a tooltip. */
const MAX_ARGUMENTS = 50;

export function catalogItem(node: ItemNode, mark?: RowMark, problem?: Phrase): vscode.TreeItem {
  const item = new vscode.TreeItem(labelOf(node));
  item.description = [
    mark && markText(mark),
    problem && t('not offered to models'),
    visible(node.item.description ?? '', 160),
    ...saidOf(node),
  ]
    .filter(Boolean)
    .join(' · ');
  item.iconPath = problem ? new vscode.ThemeIcon('warning') : iconOf(node);
  // Nothing can be called on a server that is not up, so no menu offers it.
  item.contextValue = listOf(node).cached ? `${node.kind}.cached` : node.kind;
  // Also while the server is away: the page says so, and what to do about it.
  const [command, place] =
    node.kind === 'resources'
      ? ['mcpHost.openResource', { server: node.server, resource: node.item }]
      : ['mcpHost.openPage', { server: node.server, kind: node.kind, item: node.item }];
  item.command = { command, title: t('Open'), arguments: [place] };
  if (mark) markItem(item, mark, node);
  return item;
}

/** Made only when the pointer rests on the row: it costs more than the row itself, and few of thousands are read. */
export function catalogTooltip(node: ItemNode, mark?: RowMark, problem?: Phrase): vscode.MarkdownString {
  const label = labelOf(node);
  const { item } = node;
  const id = 'uri' in item ? item.uri : 'uriTemplate' in item ? item.uriTemplate : item.name;
  return plainTooltip([
    label,
    mark && markExplanation(mark),
    mistakeOf(node),
    problem && t('It is not offered to models: {0}.', localized(problem)),
    label === id ? undefined : visible(id, 500),
    item.description,
    saidOf(node).join(', '),
    argumentsOf(node),
    annotationsOf(node),
  ]);
}

const labelOf = ({ kind, item }: ItemNode): string =>
  visible(item.title ?? (kind === 'tools' ? item.annotations?.title : undefined) ?? item.name);

/** The server's description of an item: for a tool hints, not facts. */
function saidOf(node: ItemNode): string[] {
  if (node.kind === 'resources') return [node.item.mimeType ?? ''].filter(Boolean).map(type => visible(type, 60));
  return node.kind === 'tools' ? hintsOf(node.item) : [];
}

function mistakeOf(node: ItemNode): string | undefined {
  const mistake = listOf(node).mistakes?.find(({ name }) => name === node.item.name);
  return mistake && verbatim('It has a mistake: {0}', localized(mistake.reason));
}

const listOf = ({ server, kind }: ItemNode): CatalogList<unknown> => server.catalog.list(kind);

function iconOf(node: ItemNode): vscode.IconPath {
  const { kind, item } = node;
  const list = listOf(node);
  const icon = list.cached ? undefined : safeIcon(item.icons, node.server);
  if (icon) return icon;
  if (kind === 'tools') return listIcon('symbol-method', list);
  return listIcon(kind === 'resources' ? 'file' : KIND_ICONS[kind], list);
}

function argumentsOf(node: ItemNode): string | undefined {
  if (node.kind === 'prompts') {
    return node.item.arguments
      ?.slice(0, MAX_ARGUMENTS)
      .map(({ name, required, description }) => parameter(name, required, description))
      .join('\n');
  }
  if (node.kind === 'tools') {
    const { properties = {}, required = [] } = node.item.inputSchema;
    return Object.entries(properties)
      .slice(0, MAX_ARGUMENTS)
      .map(([name, schema]) =>
        parameter(name, required.includes(name), (schema as { description?: unknown } | null)?.description),
      )
      .join('\n');
  }
  return undefined;
}

function parameter(name: string, required: boolean | undefined, description: unknown): string {
  const text = typeof description === 'string' ? `: ${visible(description)}` : '';
  return `${visible(name, 80)}${required ? ` (${t('required')})` : ''}${text}`;
}

function annotationsOf(node: ItemNode): string | undefined {
  if (node.kind !== 'resources' && node.kind !== 'resourceTemplates') return undefined;
  const { audience, priority, lastModified } = node.item.annotations ?? {};
  return [
    audience && verbatim('For: {0}', audience.join(', ')),
    priority !== undefined && t('Priority: {0}', priority),
    lastModified && verbatim('Last modified: {0}', visible(lastModified, 40)),
  ]
    .filter(line => typeof line === 'string')
    .join('\n');
}

function markText(mark: RowMark): string {
  return { new: t('new'), changed: t('changed'), blocked: t('changed: blocked') }[mark];
}

function markExplanation(mark: RowMark): string {
  if (mark === 'new') return t('It was added after this server was first offered to a model.');
  const changed = t('This is not what you accepted. Click to see what has changed.');
  return mark === 'blocked' ? `${changed} ${t('It is blocked until you accept the change.')}` : changed;
}

/** Shows that something is not what was accepted; a click shows the change. New items look the same as others. */
function markItem(item: vscode.TreeItem, mark: RowMark, node: object): void {
  if (mark === 'new') return;
  item.iconPath = queuedIcon(mark === 'blocked' ? 'shield' : 'warning');
  item.contextValue = `${item.contextValue}.${mark}`;
  item.command = { command: 'mcpHost.reviewChanges', title: t('Review Changes'), arguments: [node] };
}

export function instructionsItem(node: { server: ServerConnection }, mark: RowMark): vscode.TreeItem {
  const item = treeItem(t('Instructions'), {
    description: mark === 'blocked' ? t('changed: withheld from models') : markText(mark),
    contextValue: 'instructions',
    tooltip: markExplanation(mark),
  });
  markItem(item, mark, node);
  return item;
}
