import { fingerprint } from '../../base/fingerprint';
import type { PlainState } from '../../editor/storage';
import type { ServerSet } from '../../host';
import { addressKey, parseResourceUri, type ResourceAddress, ROW_QUERY } from './core/resourceAddress';
import { openResources } from './openResources';

import vscode = require('vscode');

const STAMP_KEY = 'resources.addressStamp';
/** A tab is told a moment after its editor has asked for what it shows. */
const UNTIL_TAB_MS = 1_000;

/** What the stamps are made from. */
let stamp: string | undefined;

/** Makes the stamp of this workspace known, which no file can have guessed. To be called before any address is stamped. */
export function readStamp(state: PlainState): void {
  if (stamp !== undefined) return;
  stamp = state.get<string>(STAMP_KEY) ?? crypto.randomUUID();
  if (state.get(STAMP_KEY) === undefined) void state.update(STAMP_KEY, stamp);
}

/** An address that leads to its server, and no other one. @param isRow whether a row has it */
export const stamped = (uri: vscode.Uri, isRow = false): vscode.Uri =>
  uri.with({ query: `${isRow ? ROW_QUERY : ''}${stampOf(parseResourceUri(uri))}` });

/** So that whoever is given one address, such as a model with an attachment, knows no other. */
const stampOf = (address: ResourceAddress | undefined): string =>
  address && stamp !== undefined ? fingerprint(`${stamp}\n${addressKey(address)}`).slice(0, 32) : '';

export const isOfRow = ({ query }: vscode.Uri): boolean => query.startsWith(ROW_QUERY);

export interface KnownServers {
  readonly servers: ServerSet;
  /** Whether the settings have been read: a server may be missing until then. */
  readonly isSettled: () => boolean;
  readonly state: PlainState;
}

/**
 * Whether a server may be asked for what is at an address. Files of a repository may name any, as a schema, which the editor then reads unasked,
 * with all that it refers to: only those count that have the stamp, or that a tab shows without one, as of a link that the person clicked,
 * whatever query a preview puts behind it.
 */
export async function mayBeAsked({ servers, isSettled, state }: KnownServers, uri: vscode.Uri): Promise<boolean> {
  const address = parseResourceUri(uri);
  if (!address) return true;
  readStamp(state);
  const own = stampOf(address);
  const isKnown = () =>
    (own !== '' && uri.query.endsWith(own)) ||
    openResources().some(open => open.uri.toString() === uri.with({ query: '' }).toString());
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
