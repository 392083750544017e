import { basename, dirname, relative } from 'node:path';
import { isWithin } from '../../../base/filePlace';
import { type BlockedAttempt, sandboxWriteProblem } from '../../../host';
import type { SandboxRules } from '../../../host/settings';

/** The allowance for an attempt: exactly that, or its folder with everything in it. */
export type Allowance = 'this' | 'folder';

/** Something that a server was refused, and what the person has said of it. */
export interface SandboxRefusal {
  readonly attempt: BlockedAttempt;
  /** The person has seen it, and it stays blocked. */
  readonly isKept: boolean;
  readonly allowances: readonly Allowance[];
}

interface EntryPlaces {
  readonly home: string;
  /** The one folder of the workspace, if its entry is written there. */
  readonly workspaceFolder?: string | undefined;
}

/**
 * How an attempt can be allowed, the narrower way first. None: what is there runs, or decides what runs.
 * @param isThere whether there is a file: what is not there can't be opened to a server, but its folder can.
 */
export function allowancesFor({ kind, what }: BlockedAttempt, home: string, isThere: boolean): readonly Allowance[] {
  if (kind === 'network' || kind === 'sockets') return ['this'];
  const folder = dirname(what);
  if (kind === 'read') return isWithin(folder, home) ? ['this'] : ['this', 'folder'];
  if (sandboxWriteProblem(what, home)) return [];
  return [...(isThere ? ['this' as const] : []), ...(sandboxWriteProblem(folder, home) ? [] : ['folder' as const])];
}

/** The rules of an entry with what attempts need. @param sandbox as in its file; true where the setting confines it. */
export function widened(
  sandbox: boolean | SandboxRules | undefined,
  allowed: readonly (readonly [BlockedAttempt, Allowance])[],
  places: EntryPlaces,
): SandboxRules {
  let rules = typeof sandbox === 'object' ? sandbox : {};
  for (const [{ kind, what }, allowance] of allowed) {
    if (kind === 'sockets') {
      rules = { ...rules, sockets: true };
      continue;
    }
    const one = kind === 'network' ? what : asWritten(allowance === 'folder' ? dirname(what) : what, places);
    rules = { ...rules, [kind]: withOne(rules[kind] ?? [], one) };
  }
  return rules;
}

function asWritten(path: string, { home, workspaceFolder }: EntryPlaces): string {
  if (workspaceFolder !== undefined && isWithin(workspaceFolder, path))
    return `\${workspaceFolder}${path.slice(workspaceFolder.length)}`;
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const withOne = (list: readonly string[], one: string) => (list.includes(one) ? list : [...list, one]);

/** A folder that a server wants to change, or a file where only that can be allowed, with the attempts behind it. */
export interface WriteWish {
  readonly path: string;
  readonly isFolder: boolean;
  readonly attempts: readonly BlockedAttempt[];
}

/** What a server wants to write and can be allowed to, folder by folder, in the order of its attempts. */
export function writeWishes(refusals: readonly SandboxRefusal[]): WriteWish[] {
  const wishes = new Map<string, WriteWish>();
  for (const { attempt, isKept, allowances } of refusals) {
    if (attempt.kind !== 'write' || isKept || allowances.length === 0) continue;
    const isFolder = allowances.includes('folder');
    const path = isFolder ? dirname(attempt.what) : attempt.what;
    wishes.set(path, { path, isFolder, attempts: [...(wishes.get(path)?.attempts ?? []), attempt] });
  }
  return [...wishes.values()];
}

/** What a person knows folders by. */
interface KnownFolders {
  readonly folders: readonly string[];
  readonly home: string;
}

/** A folder within its workspace folder or the home folder, as `src/` or `~/notes/`. */
export function folderText(folder: string, { folders, home }: KnownFolders): string {
  const root = folders.find(known => isWithin(known, folder));
  const [base, from] = root === undefined ? ['~', home] : [basename(root), root];
  if (root === undefined && !isWithin(home, folder)) return `${folder}/`;
  const rest = relative(from, folder).replaceAll('\\', '/');
  if (rest === '') return `${base}/`;
  return root === undefined || folders.length > 1 ? `${base}/${rest}/` : `${rest}/`;
}
