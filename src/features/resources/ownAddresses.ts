import { fingerprint } from '../../base/fingerprint';
import type { PlainState } from '../../editor/storage';
import type { ServerSet } from '../../host';
import { addressKey, parseResourceUri, type ResourceAddress, ROW_QUERY } from './core/resourceAddress';
import { type OpenResource, openResources } from './openResources';

import vscode = require('vscode');

const STAMP_KEY = 'resources.addressStamp';
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

/** Each address has its own, so that one that was passed on, such as to a model, reveals no other. */
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
 * with all that it refers to: only those count that have their stamp. A tab without it, as of a link that the person clicked, is opened with it.
 */
export async function mayBeAsked({ servers, isSettled, state }: KnownServers, uri: vscode.Uri): Promise<boolean> {
  const address = parseResourceUri(uri);
  if (!address) return true;
  readStamp(state);
  // Where there is no server, none is asked.
  if (uri.query.endsWith(stampOf(address)) || (isSettled() && !servers.get(address.serverId))) return true;
  const opened = () => openResources().find(open => String(open.uri) === String(uri));
  const found = opened() ?? (await tabOf(opened));
  if (found && !reopened.has(found.tab)) {
    reopened.add(found.tab);
    // The editor says what is wrong with it.
    void reopen(found).catch(() => {});
  }
  return false;
}

const reopened = new WeakSet<vscode.Tab>();

async function reopen({ tab, uri }: OpenResource): Promise<void> {
  const { viewColumn } = tab.group;
  await vscode.commands.executeCommand('vscode.open', stamped(uri), { viewColumn, preview: tab.isPreview });
  await vscode.window.tabGroups.close(tab);
}

/** The editor asks for a text a moment before we hear of its tab. */
function tabOf(opened: () => OpenResource | undefined): Promise<OpenResource | undefined> {
  return new Promise(resolve => {
    const end = (found?: OpenResource) => {
      clearTimeout(timer);
      watching.dispose();
      resolve(found);
    };
    const timer = setTimeout(() => end(), UNTIL_TAB_MS);
    const watching = vscode.window.tabGroups.onDidChangeTabs(() => {
      const found = opened();
      if (found) end(found);
    });
  });
}
