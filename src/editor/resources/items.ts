import type { Resource } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import type { ServerConnection } from '../../host';
import { visible } from '../../host/text';
import { countText, listIcon } from '../servers/listRows';
import { formatSize } from '../size';
import { plainTooltip } from '../tooltip';
import { resourceFileName } from './fileName';
import { labelOf } from './folders';
import type { ResourceNode } from './nodes';
import { iconUri } from './uri';

const { t } = vscode.l10n;
const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** The row of a server that has resources. */
export function serverItem(server: ServerConnection, isOnly: boolean): vscode.TreeItem {
  const list = server.catalog.list('resources');
  const item = new vscode.TreeItem(server.name, isOnly ? Expanded : Collapsed);
  item.id = server.id;
  item.description = [server.definition.source.folder?.name, countText(list)].filter(Boolean).join(' · ');
  item.iconPath = listIcon(list.status === 'failed' ? 'error' : 'server', list);
  item.contextValue = 'server';
  return item;
}

export function folderItem(label: string): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(label), Collapsed);
  item.iconPath = vscode.ThemeIcon.Folder;
  item.contextValue = 'folder';
  return item;
}

/** The row of one resource. The icon theme finds its icon by the file name. */
export function resourceItem(node: Extract<ResourceNode, { type: 'resource' }>): vscode.TreeItem {
  const { resource } = node;
  const label = visible(labelOf(resource));
  const fileName = resourceFileName(resource);
  const item = new vscode.TreeItem(label, None);
  const size = resource.size === undefined ? undefined : formatSize(resource.size);
  item.description = [fileName === label ? undefined : fileName, size].filter(Boolean).join(' · ');
  item.resourceUri = iconUri(resource);
  const list = node.server.catalog.list('resources');
  item.iconPath = list.cached ? listIcon('file', list) : vscode.ThemeIcon.File;
  item.contextValue = 'resource';
  item.command = { command: 'mcpHost.openResource', title: t('Open'), arguments: [node] };
  return item;
}

export function messageItem({ text, icon }: Extract<ResourceNode, { type: 'message' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(visible(text, 1_000), None);
  item.iconPath = new vscode.ThemeIcon(icon);
  item.tooltip = plainTooltip([text]);
  return item;
}

/** All that the server says of a resource. Made when the pointer rests on its row. */
export function resourceTooltip(resource: Resource): vscode.MarkdownString {
  const { uri, name, description, mimeType, size, annotations } = resource;
  const { audience, priority, lastModified } = annotations ?? {};
  const facts = [
    mimeType && t('Type: {0}', visible(mimeType)),
    size !== undefined && t('Size: {0}', formatSize(size)),
    audience && t('For: {0}', visible(audience.join(', '))),
    priority !== undefined && t('Priority: {0}', priority),
    lastModified && t('Last modified: {0}', visible(lastModified, 40)),
  ];
  const label = labelOf(resource);
  return plainTooltip([
    label === name ? label : `${visible(label)} (${visible(name)})`,
    description,
    visible(uri, 1_000),
    facts.filter(fact => typeof fact === 'string').join('\n'),
  ]);
}
