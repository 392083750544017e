import vscode = require('vscode');

import { type Named, resourceFileName } from './core/fileName';
import { encodeAddress, HEX_SCHEME, RESOURCE_SCHEME, ROW_QUERY } from './core/resourceAddress';

/** `mcp://<server>/<encoded uri>/<file name>`, with the name of one of its parts `/<part>`: see `encodeAddress`. */
export function resourceUri(serverId: string, resource: Named, part?: string): vscode.Uri {
  const address = { serverId, uri: resource.uri, ...(part !== undefined && { part }) };
  return vscode.Uri.from({ scheme: RESOURCE_SCHEME, ...encodeAddress(address, resourceFileName(resource)) });
}

/** Where the hex view of a resource is. The added extension prevents previews for the original one from opening it. */
export function hexUri(uri: vscode.Uri): vscode.Uri {
  return uri.with({ scheme: HEX_SCHEME, path: `${uri.path}.hex` });
}

/**
 * Stands for a resource in its row: it can be dropped and read like the resource, and the icon theme finds the file name. It
 * differs from the URI of the editor, because a row with that one would show a lock in place of a badge while the editor is
 * open.
 */
export function rowUri(serverId: string, resource: Named): vscode.Uri {
  return resourceUri(serverId, resource).with({ query: ROW_QUERY });
}
