import vscode = require('vscode');

import { type Named, resourceFileName } from './core/fileName';
import { decodeAddress, encodeAddress, type ResourceAddress } from './core/resourceAddress';

/** Scheme of the read-only file system in which resources are files. */
export const RESOURCE_SCHEME = 'mcp';
/** Scheme of the hex views of resources. */
export const HEX_SCHEME = 'mcp-hex';

/** `mcp://<server>/<encoded uri>/<file name>`, with the name of one of its parts `/<part>`: see `encodeAddress`. */
export function resourceUri(serverId: string, resource: Named, part?: string): vscode.Uri {
  const address = { serverId, uri: resource.uri, ...(part !== undefined && { part }) };
  return vscode.Uri.from({ scheme: RESOURCE_SCHEME, ...encodeAddress(address, resourceFileName(resource)) });
}

/** The resource behind an editor URI of either scheme; undefined for any other URI. */
export function parseResourceUri(uri: vscode.Uri): ResourceAddress | undefined {
  if (uri.scheme === HEX_SCHEME)
    return decodeAddress({ authority: uri.authority, path: uri.path.replace(/\.hex$/, '') });
  return uri.scheme === RESOURCE_SCHEME ? decodeAddress(uri) : undefined;
}

/** Where the hex view of a resource is. The added extension prevents previews for the original one from opening it. */
export function hexUri(uri: vscode.Uri): vscode.Uri {
  return uri.with({ scheme: HEX_SCHEME, path: `${uri.path}.hex` });
}

const ROW_QUERY = 'row';

/**
 * Stands for a resource in its row: it can be dropped and read like the resource, and the icon theme finds the file name. It
 * differs from the URI of the editor, because a row with that one would show a lock in place of a badge while the editor is
 * open.
 */
export function rowUri(serverId: string, resource: Named): vscode.Uri {
  return resourceUri(serverId, resource).with({ query: ROW_QUERY });
}

/** The resource of a row; undefined for any other URI. */
export function parseRowUri(uri: vscode.Uri): ResourceAddress | undefined {
  return uri.query === ROW_QUERY ? parseResourceUri(uri) : undefined;
}
