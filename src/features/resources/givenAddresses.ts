import type { ServerSet } from '../../host';
import { addressKey, parseResourceUri, type ResourceAddress } from './core/resourceAddress';
import { openResources } from './openResources';

import vscode = require('vscode');

/** Those that the person has opened, dragged or attached, or may click, the latest last. */
const given = new Set<string>();
const MAX_GIVEN = 20_000;
/** A tab is told a moment after its editor has asked for what it shows. */
const UNTIL_TAB_MS = 1_000;

export interface KnownServers {
  readonly servers: ServerSet;
  /** Whether the settings have been read: a server may be missing until then. */
  readonly isSettled: () => boolean;
}

/** To be called for each address that leads to a server by the person's or our own doing. */
export function giveAddress(address: ResourceAddress): void {
  const key = addressKey(address);
  given.delete(key);
  given.add(key);
  for (const oldest of given) {
    if (given.size <= MAX_GIVEN) return;
    given.delete(oldest);
  }
}

/**
 * Whether a server may be asked for what is at an address. Files of a repository may name any, as a schema, which the editor then reads unasked,
 * with all that it refers to: only those count that this window has given, or that a tab shows.
 */
export async function mayBeAsked({ servers, isSettled }: KnownServers, uri: vscode.Uri): Promise<boolean> {
  const address = parseResourceUri(uri);
  if (!address) return true;
  const key = addressKey(address);
  const isKnown = () => given.has(key) || openResources().some(open => addressKey(open.address) === key);
  // Where there is no server, none is asked.
  if (isKnown() || (isSettled() && !servers.get(address.serverId))) return true;
  return new Promise(resolve => {
    const end = (answer: boolean) => {
      clearTimeout(timer);
      watching.dispose();
      resolve(answer);
    };
    const timer = setTimeout(() => end(false), UNTIL_TAB_MS);
    const watching = vscode.window.tabGroups.onDidChangeTabs(() => {
      if (isKnown()) end(true);
    });
  });
}
