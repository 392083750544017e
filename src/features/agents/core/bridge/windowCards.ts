import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { attempt } from '../../../../base/errors';
import { isWithin } from '../../../../base/filePlace';
import { isAlive } from '../../../../base/processes';

/** The protocol between the bridge and a window: one line each way, before the messages of MCP. */
export const BRIDGE_PROTOCOL = 1;

/** A window's advertisement to bridges of the same person: its address, and the facts by which a bridge chooses it. */
export interface WindowCard {
  readonly bridge: typeof BRIDGE_PROTOCOL;
  readonly pid: number;
  readonly address: string;
  /** Proves that who connects can read the card. New with each listener. */
  readonly secret: string;
  readonly folders: readonly string[];
  /** When the window was last used, in milliseconds since 1970. */
  readonly usedAt: number;
}

/** The first line of a bridge. */
export interface Hello {
  readonly bridge: number;
  readonly secret: string;
  readonly pid: number;
  readonly cwd: string;
  /** The one server that is wanted. Absent: all that are shared. */
  readonly server?: string;
}

/** The answers of a window: `title` is to be the bridge's own for a moment, which proves which process it is. */
export type Welcome = { readonly title: string } | { readonly ok: true } | { readonly error: string };

/** The longest message between an agent and a window. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Folders of cards: for agents, which look for the best window, and for the editor's own chat, which knows its window. */
type CardFolder = 'windows' | 'chats';

const MAX_CARDS = 100;
const MAX_CARD_BYTES = 64 * 1024;

/** Where windows leave their cards, unless a bridge stands beside some. */
export const defaultHome = (): string => path.join(homedir(), '.mcp-host');

export const bridgeIn = (home: string): string => path.join(home, 'bridge.js');

/** The card of a window for its own chat. @param window an id that the window keeps when it is reloaded */
export const chatCardIn = (home: string, window: string): string =>
  path.join(home, 'chats' satisfies CardFolder, `${window}.json`);

/** Makes a folder of cards, which only this person may enter. @throws Error if it is someone else's, or a link. */
export function privateFolder(home: string, cards: CardFolder): string {
  const folder = path.join(home, cards);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const made of [home, folder]) {
    if (!isOwn(made, 'folder')) throw new Error(`${made} is not a folder of yours alone.`);
    if (process.platform !== 'win32') chmodSync(made, 0o700);
  }
  return folder;
}

/** The cards of windows that run. Those of windows that crashed are removed. */
export function readCards(home: string, cards: CardFolder = 'windows'): WindowCard[] {
  const folder = path.join(home, cards);
  if (!isPrivate(folder, 'folder')) return [];
  const names = readdirSync(folder).filter(name => name.endsWith('.json'));
  return names.slice(0, MAX_CARDS).flatMap(name => {
    const file = path.join(folder, name);
    const card = readCard(file);
    if (!card) return [];
    if (isAlive(card.pid)) return [card];
    rmSync(file, { force: true });
    return [];
  });
}

/** Removes a window's card, and the folders that are empty without it. */
export function removeCard(file: string): void {
  rmSync(file, { force: true });
  const folder = path.dirname(file);
  try {
    for (const empty of [folder, path.dirname(folder)]) rmdirSync(empty);
  } catch {
    // It is in use.
  }
}

/** The windows for a folder, the best first: whose workspace has it, the innermost first; then the ones used last. */
export function inOrder(cards: readonly WindowCard[], cwd: string): WindowCard[] {
  const depth = ({ folders }: WindowCard) =>
    Math.max(0, ...folders.filter(folder => isWithin(folder, cwd)).map(folder => folder.length));
  return [...cards].sort((a, b) => depth(b) - depth(a) || b.usedAt - a.usedAt);
}

/** Whether a secret may be sent to this address: a socket in a folder that only this person may enter. */
export function isOwnAddress(address: string): boolean {
  return process.platform === 'win32' || isPrivate(path.dirname(address), 'folder');
}

/** A card that is this person's alone. Undefined: there is none. */
export function readCard(file: string): WindowCard | undefined {
  try {
    if (!isPrivate(file, 'file') || lstatSync(file).size > MAX_CARD_BYTES) return undefined;
    const card = JSON.parse(readFileSync(file, 'utf8')) as WindowCard;
    const isCard =
      card.bridge === BRIDGE_PROTOCOL &&
      Number.isSafeInteger(card.pid) &&
      card.pid > 0 &&
      typeof card.address === 'string' &&
      typeof card.secret === 'string' &&
      Array.isArray(card.folders) &&
      card.folders.every(folder => typeof folder === 'string');
    return isCard ? card : undefined;
  } catch {
    // Another window has just removed it, or it is none of ours.
    return undefined;
  }
}

function isPrivate(at: string, kind: 'file' | 'folder'): boolean {
  return attempt(() => isOwn(at, kind) && (process.platform === 'win32' || (lstatSync(at).mode & 0o077) === 0), false);
}

function isOwn(at: string, kind: 'file' | 'folder'): boolean {
  const found = lstatSync(at);
  return (
    (kind === 'file' ? found.isFile() : found.isDirectory()) &&
    (process.getuid === undefined || found.uid === process.getuid())
  );
}
