import { type Dirent, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { realPlace } from '../../base/filePlace';
import type { Repository } from './gitConfiguration';
import { isObeyed, KEPT_IN_GIT, markIn } from './obeyedNames';
import { linkKind } from './onDisk';

/** The most folders that are searched, without those in `node_modules`. */
const MAX_FOLDERS = 20_000;
/** After so many folders, others get their turn. */
const FOLDERS_PER_TURN = 50;
/** A folder of a longer path can't be mounted. Systems end at 4,096 bytes, and a name has 255 at most. */
const MAX_PATH_BYTES = 3_000;

/** Something in a folder that other programs run or obey. */
export interface ObeyedPlace {
  readonly path: string;
  /** The file for whose sake a folder is obeyed whatever its name: `HEAD` of a bare repository. */
  readonly mark?: string;
  /** It may be changed where it is, because the searched folder is a repository itself. */
  readonly isOpen?: true;
}

/** What has to be known of a folder to notice what appears in it. Plain data, of which a copy is kept on disk. */
export interface WatchedFolder {
  readonly path: string;
  /** What was there for other programs to obey, with where it leads if it is a link. */
  readonly known: Readonly<Record<string, string>>;
  /** Places that are protected by mounts, with what stands there: a mount is gone once something else does. */
  readonly mounted: Readonly<Record<string, string>>;
  /** Folders in it that could not be looked into. */
  readonly closed: readonly string[];
  /** Paths at which git would run or obey a file if there were one. */
  readonly missing: readonly string[];
  /** Those that the program can't change. */
  readonly repositories: readonly Repository[];
  /** Something in it that has to stay as it is came to be after the start, so it isn't protected. */
  readonly isOutdated?: boolean;
}

/** What of a place is obeyed. */
export const keyOf = ({ path, mark }: ObeyedPlace): string => mark ?? path;

/** Where a link leads, by its text and on this disk. Empty: it is none. */
export const whereLeads = (path: string): string =>
  linkKind(path) === 'link' ? `${readlinkSync(path)}\0${realPlace(path)}` : '';

/** Tells a file or folder from another one in its place, as far as the disk can. Empty: there is none. */
export function identityOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.birthtimeMs}` : '';
}

/** What a folder holds that other programs run or obey. */
export interface Obeyed {
  readonly places: readonly ObeyedPlace[];
  /** Folders in it that can't be looked into. */
  readonly closed: readonly string[];
}

/**
 * Searches a folder for what other programs run or obey, at any depth, following no links. In `node_modules`, only `.bin` is
 * looked for. Undefined: there are more than `MAX_FOLDERS` folders.
 */
export async function obeyedIn(top: string): Promise<Obeyed | undefined> {
  const [places, closed, queue]: [ObeyedPlace[], string[], string[]] = [[], [], [top]];
  for (let at = 0; at < queue.length; at++) {
    if (queue.length > MAX_FOLDERS) return undefined;
    if (at % FOLDERS_PER_TURN === FOLDERS_PER_TURN - 1) await turn();
    const folder = queue[at]!;
    const entries = listed(folder);
    const mark = entries && markIn(entries);
    if (!entries) closed.push(folder);
    else if (folder === top) {
      const isGit = basename(top) === '.git';
      if (isGit || isHead(mark)) places.push(...inRepository(top, entries));
      if (!isGit && isHead(mark)) places.push({ path: join(top, mark), isOpen: true });
      if (!isGit) queue.push(...obeyedAmong(folder, entries, places));
    } else if (mark) places.push({ path: folder, mark: join(folder, mark) });
    else queue.push(...obeyedAmong(folder, entries, places));
  }
  return { places, closed };
}

/** Adds what is obeyed of the entries of a folder. @returns the folders among them that are to be searched */
function obeyedAmong(folder: string, entries: readonly Dirent[], places: ObeyedPlace[]): string[] {
  const folders: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (isObeyed(entry.name)) places.push({ path });
    else if (entry.name === 'node_modules') {
      if (linkKind(join(path, '.bin'))) places.push({ path: join(path, '.bin') });
    } else if (entry.isDirectory()) folders.push(path);
  }
  return folders;
}

/** What git obeys in a repository that is itself the folder to be searched. */
const inRepository = (top: string, entries: readonly Dirent[]) =>
  entries.filter(({ name }) => KEPT_IN_GIT.includes(name.toLowerCase())).map(({ name }) => ({ path: join(top, name) }));

const isHead = (mark: string | undefined): mark is string => mark?.toUpperCase() === 'HEAD';

/** The entries of a folder. Undefined: it can't be read, its path is too long, or a folder in it has a name that is no text. */
function listed(folder: string): Dirent[] | undefined {
  if (Buffer.byteLength(folder) > MAX_PATH_BYTES) return undefined;
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.some(entry => entry.name.includes('\ufffd') && entry.isDirectory()) ? undefined : entries;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It is gone, or something else stands there by now.
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined;
  }
}
