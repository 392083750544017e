import type { Resource } from '@modelcontextprotocol/client';
import { visible } from '../../base/text';
import { nameToOpen } from '../../editor/openedAs';
import { t } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { extensionOf, type NamedResource, namesBefore, resourceFileName } from './core/fileName';
import { encodeAddress, parseResourceUri, RESOURCE_SCHEME } from './core/resourceAddress';
import { labelOf } from './core/resourceFolders';
import { urisOf } from './openResources';
import { stamped } from './ownAddresses';

import vscode = require('vscode');

/** A resource of a server, as commands take it. */
export interface ResourceTarget {
  readonly server: ServerConnection;
  readonly resource: Resource;
  /** One of several contents: see `ResourceAddress`. */
  readonly part?: string | undefined;
}

/** The resource that a command is for: of a row, of an editor's menu, or what the active editor shows. */
export function resourceTarget(servers: ServerSet, argument: unknown): ResourceTarget | undefined {
  if (argument instanceof vscode.Uri) return targetOfUri(servers, argument);
  if (isRow(argument)) {
    const { server, item, resource = item, part } = argument;
    return resource && { server, resource, part };
  }
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  const [active] = activeTab ? urisOf(activeTab) : [];
  return active && targetOfUri(servers, active);
}

/** The resource that a command is for. Throws an `Error` that names the requirement if there is none. */
export function targetOf(servers: ServerSet, argument: unknown): ResourceTarget {
  const target = resourceTarget(servers, argument);
  if (!target) throw new Error(t('Select a resource in the Resources view, or open one first.'));
  return target;
}

export function serverOfRow(argument: unknown): ServerConnection | undefined {
  return isRow(argument) ? argument.server : undefined;
}

interface Row {
  readonly server: ServerConnection;
  /** In the Resources view. */
  readonly resource?: Resource;
  readonly part?: string;
  /** In the Servers view, whose menu offers this only for resources. */
  readonly item?: Resource;
}

function isRow(argument: unknown): argument is Row {
  return typeof argument === 'object' && argument !== null && 'server' in argument;
}

function targetOfUri(servers: ServerSet, uri: vscode.Uri): ResourceTarget | undefined {
  const address = parseResourceUri(uri);
  const server = address && servers.get(address.serverId);
  if (!server) return undefined;
  const listed = server.catalog.resources.find(resource => resource.uri === address.uri);
  const [, , opened = ''] = uri.path.split('/');
  const name = namesBefore(opened).findLast(one => extensionOf(one)) ?? opened;
  return { server, resource: listed ?? { uri: address.uri, name }, part: address.part };
}

/** An address that leads to the server: for what the person opens, drags, attaches or may click. */
export const resourceUri = (...resource: Parameters<typeof uriOf>): vscode.Uri => stamped(uriOf(...resource));

/** `mcp://<server>/<encoded uri>/<file name>`, with the name of one of its parts `/<part>`: see `encodeAddress`. */
function uriOf(serverId: string, resource: NamedResource, part?: string): vscode.Uri {
  const opened = (name: string) => nameToOpen(name, { server: serverId, text: resource.text });
  const address = encodeAddress(
    { serverId, uri: resource.uri, part: part === undefined ? part : opened(part) },
    opened(resourceFileName(resource)),
  );
  return vscode.Uri.from({ scheme: RESOURCE_SCHEME, ...address });
}

/**
 * Stands for a resource in its row: it can be dropped and read like the resource, and the icon theme finds the file name. It
 * differs from the URI of the editor, because a row with that one would show a lock in place of a badge while the editor is
 * open.
 */
export function rowUri(serverId: string, resource: NamedResource): vscode.Uri {
  // Its name is for the icon: what is read there is looked at then.
  return stamped(uriOf(serverId, { ...resource, text: () => '' }), true);
}

/**
 * A markdown link that opens the resource in the editor. Its target is the `mcp:` URI. The server's own URI is at best
 * understood only by the server, and at worst an address that the server wants to have opened.
 */
export function markdownLink(target: ResourceTarget): string {
  const label = target.part ?? labelOf(target.resource);
  // In a file, which others may read and write.
  return `[${escapeLabel(visible(label))}](${fileOf(target).with({ query: '' }).toString()})`;
}

export function fileOf({ server, resource, part }: ResourceTarget): vscode.Uri {
  return resourceUri(server.id, resource, part);
}

/** On one line, and with nothing in it that counts as markup or a snippet. */
const escapeLabel = (label: string): string => label.replace(/[\\`*_[\]<>&|~$!#]/g, character => `\\${character}`);
