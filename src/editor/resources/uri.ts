import * as vscode from 'vscode';
import { decodeAddress, encodeAddress, type ResourceAddress } from './address';
import { type Named, resourceFileName } from './fileName';

/** Scheme of the read-only file system in which resources are files. */
export const RESOURCE_SCHEME = 'mcp';
/** Scheme of the hex views of resources. */
export const HEX_SCHEME = 'mcp-hex';

/** `mcp://<server>/<encoded uri>/<file name>`: see `encodeAddress`. */
export function resourceUri(serverId: string, resource: Named): vscode.Uri {
  const parts = encodeAddress({ serverId, uri: resource.uri }, resourceFileName(resource));
  return vscode.Uri.from({ scheme: RESOURCE_SCHEME, ...parts });
}

/** The resource behind an editor URI of either scheme; undefined for any other URI. */
export function parseResourceUri(uri: vscode.Uri): ResourceAddress | undefined {
  return uri.scheme === RESOURCE_SCHEME || uri.scheme === HEX_SCHEME ? decodeAddress(uri) : undefined;
}

/** Has the icon theme choose a row's icon by the file name. Not the resource's own URI, whose row would get a lock. */
export function iconUri(resource: Named): vscode.Uri {
  return vscode.Uri.from({ scheme: 'mcp-icon', path: `/${resourceFileName(resource)}` });
}

/** Where the hex view of a resource is. The added extension keeps previews made for its own one away. */
export function hexUri(uri: vscode.Uri): vscode.Uri {
  return uri.with({ scheme: HEX_SCHEME, path: `${uri.path}.hex` });
}
