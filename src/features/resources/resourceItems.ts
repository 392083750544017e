import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/client';
import { formatSize } from '../../base/numberText';
import { percentDecoded, visible } from '../../base/text';
import { safeIcon } from '../../editor/icons';
import { plainTooltip } from '../../editor/markdown';
import { countText, listIcon, treeItem } from '../../editor/serverRows';
import { t, verbatim } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { ChangeMarks } from './changeMarks';
import { resourceFileName } from './core/fileName';
import { type Folder, labelOf } from './core/resourceFolders';
import { rowUri } from './resourceTarget';
import type { WatchList } from './watchList';

import vscode = require('vscode');

/** A row of the Resources view. */
export type ResourceNode =
  | { readonly type: 'server'; readonly server: ServerConnection }
  | { readonly type: 'folder'; readonly server: ServerConnection; readonly folder: Folder<Resource> }
  | { readonly type: 'resource'; readonly server: ServerConnection; readonly resource: Resource }
  | { readonly type: 'more'; readonly server: ServerConnection }
  | { readonly type: 'templates'; readonly server: ServerConnection }
  | {
      readonly type: 'template';
      readonly server: ServerConnection;
      readonly template: ResourceTemplateType;
      /** Position among the server's templates, since two may be alike. */
      readonly index: number;
    }
  | {
      /** A resource opened through a template. */
      readonly type: 'recent';
      readonly server: ServerConnection;
      readonly template: ResourceTemplateType;
      readonly resource: Resource;
    }
  | {
      readonly type: 'message';
      readonly text: string;
      readonly icon: 'ellipsis' | 'info' | 'error' | 'loading~spin' | 'warning';
    };

/** The state of open and watched resources, which no list of a server has. */
interface ResourceMarks {
  readonly watched?: Pick<WatchList, 'has'>;
  readonly marks?: Pick<ChangeMarks, 'has' | 'isComparable'>;
}

const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

export function resourceServerItem(server: ServerConnection, isOnly: boolean): vscode.TreeItem {
  const list = server.catalog.list('resources');
  const own = list.status === 'failed' ? undefined : safeIcon(server.info?.implementation?.icons, server);
  return treeItem(server.name, {
    id: server.id,
    collapsibleState: isOnly ? Expanded : Collapsed,
    description: [server.definition.source.folder?.name, countText(list)].filter(Boolean).join(' · '),
    iconPath: own ?? listIcon(list.status === 'failed' ? 'error' : 'server', list),
    contextValue: 'server',
  });
}

export const folderItem = (label: string): vscode.TreeItem =>
  treeItem(visible(label), {
    collapsibleState: Collapsed,
    iconPath: vscode.ThemeIcon.Folder,
    contextValue: 'folder',
  });

/**
 * The row of one resource. The icon theme finds its icon by the file name of its URI, unless the server brings one that is
 * safe. The URI is also what the editor hands to whatever a row is dropped on, and what badges are drawn by.
 */
export function resourceItem(
  node: Extract<ResourceNode, { type: 'resource' }>,
  { watched, marks }: ResourceMarks = {},
): vscode.TreeItem {
  const { server, resource } = node;
  const address = { serverId: server.id, uri: resource.uri };
  const isWatched = watched?.has(address) === true;
  const isComparable = isWatched && marks?.isComparable(address) === true;
  const label = visible(labelOf(resource));
  const fileName = resourceFileName(resource);
  const size = resource.size === undefined ? undefined : formatSize(resource.size);
  const facts = [fileName === label ? undefined : fileName, size];
  const list = server.catalog.list('resources');
  const description = facts.filter(Boolean).join(' · ');
  // Screen readers do not get the badge.
  const state = [isWatched && t('watched'), marks?.has(address) && t('changed')].filter(Boolean);
  return treeItem(label, {
    description,
    ...(state.length > 0 && {
      accessibilityInformation: { label: [label, description, ...state].filter(Boolean).join(', ') },
    }),
    resourceUri: rowUri(server.id, resource),
    iconPath: list.cached ? listIcon('file', list) : (safeIcon(resource.icons, server) ?? vscode.ThemeIcon.File),
    contextValue: `resource${isComparable ? '.watched.changed' : isWatched ? '.watched' : watchable(server)}`,
    command: isComparable ? { ...opening(node), command: 'mcpHost.showResourceChanges' } : opening(node),
  });
}

/** The row of a resource that was opened through a template. */
export function recentItem(node: Extract<ResourceNode, { type: 'recent' }>): vscode.TreeItem {
  const { server, template, resource } = node;
  return treeItem(visible(filledIn(resource.uri, template.uriTemplate) || resource.name), {
    resourceUri: rowUri(server.id, resource),
    iconPath: vscode.ThemeIcon.File,
    contextValue: 'recent',
    command: opening(node),
  });
}

const opening = (node: ResourceNode) => ({ command: 'mcpHost.openResource', title: t('Open'), arguments: [node] });

/** The part of a URI that distinguishes it from others of its template: everything after the common start. */
function filledIn(uri: string, template: string): string {
  const fixed = template.split('{', 1)[0]!;
  const rest = uri.startsWith(fixed) ? uri.slice(fixed.length) : uri;
  return percentDecoded(rest);
}

/** Whether its menu offers to watch it. */
const watchable = (server: ServerConnection) => (server.info?.capabilities.resources?.subscribe ? '.watchable' : '');

export const resourceMessageItem = ({ text, icon }: Extract<ResourceNode, { type: 'message' }>): vscode.TreeItem =>
  treeItem(visible(text, 1_000), { iconPath: new vscode.ThemeIcon(icon), tooltip: plainTooltip([text]) });

/** Everything that the server says about a resource. Built when the pointer rests on its row. */
export function resourceTooltip(resource: Resource): vscode.MarkdownString {
  const { uri, name, description, mimeType, size, annotations } = resource;
  const { audience, priority, lastModified } = annotations ?? {};
  const facts = [
    mimeType && verbatim('Type: {0}', visible(mimeType)),
    size !== undefined && verbatim('Size: {0}', formatSize(size)),
    audience && verbatim('For: {0}', visible(audience.join(', '))),
    priority !== undefined && t('Priority: {0}', priority),
    lastModified && verbatim('Last modified: {0}', visible(lastModified, 40)),
  ];
  const label = labelOf(resource);
  return plainTooltip([
    label === name ? label : `${visible(label)} (${visible(name)})`,
    description,
    visible(uri, 1_000),
    facts.filter(fact => typeof fact === 'string').join('\n'),
  ]);
}
