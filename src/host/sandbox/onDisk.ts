import { type Dirent, lstatSync, mkdirSync, opendirSync, readdirSync, rmdirSync, statSync, utimesSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../../base/errors';
import { inHeldFolder } from './heldFolder';

/** A file or folder as the program finds it. Of several that are nested, the innermost decides. */
export interface SandboxPlace {
  readonly path: string;
  readonly isFolder: boolean;
  readonly access: 'hidden' | 'read' | 'write';
  /** It does not exist and must not be created: an empty folder stands in its place meanwhile. */
  readonly isMissing?: true;
}

/** What a path leads to, with links resolved. Undefined: nothing, or unknown. */
export function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    // Most known places are absent on any one machine; throwing an error for each would take the longest.
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && (stat.isDirectory() ? 'folder' : 'file');
  } catch {
    return undefined;
  }
}

/** The kind of the path itself, without following a link. */
export function linkKind(path: string | Buffer): 'file' | 'folder' | 'link' | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat && (stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'file');
  } catch {
    return undefined;
  }
}

/** The names in a folder. Empty if it can't be read. */
export const entriesOf = (folder: string): string[] => attempt(() => readdirSync(folder), []);

/** The entries of a folder. Undefined: there are more than so many; a program can make millions. @throws Node's error */
export function entriesWithin(folder: string, most: number): Dirent[] | undefined {
  const opened = opendirSync(folder);
  try {
    const entries: Dirent[] = [];
    for (let entry = opened.readSync(); entry; entry = opened.readSync())
      if (entries.push(entry) > most) return undefined;
    return entries;
  } finally {
    opened.closeSync();
  }
}

/** Whether it is a folder with nothing in it, as a sandbox puts where nothing may come to be. */
export const isEmptyFolder = (path: string): boolean =>
  attempt(() => linkKind(path) === 'folder' && entriesWithin(path, 0) !== undefined, false);

/** The most folders that are searched for pipes at each start, which takes a few milliseconds. */
const MAX_SEARCHED = 50;

/** The named pipes in folders, the outer ones first: opening one to write changes no file, so no read-only mount prevents it. */
export function pipesIn(folders: readonly string[]): string[] {
  const [found, queue]: [string[], string[]] = [[], [...folders]];
  for (let at = 0; at < Math.min(queue.length, MAX_SEARCHED); at++) {
    try {
      for (const entry of readdirSync(queue[at]!, { withFileTypes: true })) {
        const path = join(queue[at]!, entry.name);
        if (entry.isFIFO()) found.push(path);
        else if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') queue.push(path);
      }
    } catch {
      // It is a file, or may not be read.
    }
  }
  return found;
}

/** Cache folders that have not been used for this long are removed: their server may have changed or be gone. */
const KEPT_MS = 60 * 24 * 60 * 60 * 1000;

/** Creates the cache folder of a confined server, and removes long unused ones beside it. */
export function openCaches(folder: string, now = Date.now()): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  utimesSync(folder, now / 1000, now / 1000);
  const storage = dirname(folder);
  for (const name of readdirSync(storage)) {
    const other = join(storage, name);
    // Another window may have removed it.
    const used = statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (other !== folder && used < now - KEPT_MS) void rm(other, { recursive: true }).catch(() => {});
  }
}

/** How many programs use each placeholder folder. */
const standIns = new Map<string, number>();

/**
 * Creates placeholder folders where nothing may be created while a program is confined. They are made before it starts, so that
 * they can be told from folders that the program, or one that helps it, puts in their place. Returns a function that removes
 * them after the last program that needs them.
 */
export function standIn({
  places,
  isKeptElsewhere,
}: {
  readonly places: readonly SandboxPlace[];
  isKeptElsewhere(path: string): Promise<boolean>;
}): () => Promise<void> {
  const made = places.filter(({ isMissing }) => isMissing).map(({ path }) => path);
  for (const place of made) {
    standIns.set(place, (standIns.get(place) ?? 0) + 1);
    // It may be there already. If it can't be created here, it can't be in the sandbox either.
    attempt(() => inHeldFolder('/', dirname(place), held => mkdirSync(join(held, basename(place)))));
  }
  return async () => {
    for (const place of made) await leave(place, isKeptElsewhere);
  };
}

/** Removes a placeholder, unless it is no longer empty. */
async function leave(place: string, isKept: (path: string) => Promise<boolean>): Promise<void> {
  const count = (standIns.get(place) ?? 1) - 1;
  if (count > 0) {
    standIns.set(place, count);
    return;
  }
  standIns.delete(place);
  try {
    // Meanwhile another program may have come to need it.
    if (!(await isKept(place)) && !standIns.has(place))
      inHeldFolder('/', dirname(place), held => rmdirSync(join(held, basename(place))));
  } catch {
    // It is in use, or was never created.
  }
}
