import { accessSync, constants, type Dir, type Dirent, lstatSync, opendirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { attempt } from '../../base/errors';
import { isWithin, realPlace } from '../../base/filePlace';
import { PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { namedByGit, outOfReach, type Repository, repositoryAround, trackedByGit } from './git';
import { isObeyed, isOpenInGit, isStrange, KEPT_FOLDERS, KEPT_IN_GIT, markIn, marksProject } from './knownPlaces';
import { isEmptyFolder, kindOf, linkKind, type SandboxPlace } from './onDisk';

const MAX_REPOSITORIES = 100;

interface Keeping {
  /** Places that the entry names explicitly. */
  readonly writable: ReadonlySet<string>;
  /** More places that must not change: what the next start of the same program depends on. */
  readonly keeps: readonly string[];
  /** Whether rules are enforced by mounts, which links do not support. */
  readonly isMounted: boolean;
  /** All other programs that run now and may change folders. */
  others(): Promise<readonly RunningProgram[]>;
  /** For the log, in English. */
  readonly notes: string[];
}

/** A folder that a program may change, and what in it stays as it is. */
export interface KeptFolder extends WatchedFolder {
  readonly places: readonly SandboxPlace[];
}

/**
 * What must not change in a writable folder, at any depth: what the editor, git or other programs would run or obey. Folders
 * that lead to such a place are protected too, so that it can't be moved away with them. What the folder contains can only add to
 * that, because the program may have put it there. What another program may just have put there is not protected: it is new.
 * @throws PolicyError if the folder holds too much to protect all of it.
 */
export async function keptIn(folder: string, keeping: Keeping): Promise<KeptFolder> {
  const { places, untold, ...found } = await obeyedIn(folder);
  if (found.isPart) throw tooMuchIn(folder);
  // Read after the search, so that nothing of a program was found that is not among them: what others left was moved away.
  const others = await keeping.others();
  const missing = others.flatMap(({ folders }) => folders.flatMap(one => one.missing)).filter(isInside(folder));
  const isNew = (place: ObeyedPlace) => others.some(other => mayHaveMade(other, place));
  const all: ObeyedPlace[] = [...places, ...missing.map(path => ({ path }))].filter(place => linkKind(keyOf(place)));
  const [strange, ownPlaces] = [all.filter(isNew), all.filter(place => !isNew(place))];
  const closed = [...new Set([...found.closed, ...untold.map(path => dirname(path))])];
  for (const path of closed) keeping.notes.push(`${visible(path)} can't be looked into, so it can't be changed`);
  const isBare = ownPlaces.some(({ isOpen }) => isOpen);
  const around = isBare ? { top: folder, git: folder } : repositoryAround(folder, git => !isNew({ path: git }));
  const repositories = [...(around ? [around] : []), ...ownPlaces.flatMap(place => repositoryOf(folder, place))];
  if (repositories.length > MAX_REPOSITORIES) throw tooMuchIn(folder);
  const named = await namedByGit(folder, repositories, [...keeping.writable]);
  if (!named)
    throw new PolicyError(phrase('git did not report its configuration of {0} in time', visible(folder, 200)));
  const proofs = await outOfReach(repositories, [...keeping.writable]);
  const tracked = await trackedSafely(proofs, strange.map(keyOf), { folder, others });
  const obeyed = [...ownPlaces, ...strange.filter(place => tracked.has(keyOf(place)))];
  const isGit = basename(folder) === '.git';
  const always = [
    ...(isGit ? [] : KEPT_FOLDERS.map(name => join(folder, name))),
    ...(isGit || isBare ? [join(folder, 'hooks')] : []),
    ...named.folders,
  ];
  const there = [
    ...obeyed.filter(({ isOpen, isStrange }) => !isOpen && !isStrange).map(({ path }) => path),
    ...named.files,
    ...closed,
    ...keeping.keeps.filter(path => isWithin(folder, path)),
  ];
  const kept = [
    ...always.flatMap(path => keptAt(path, folder, { ...keeping, isAlways: true })),
    ...there.filter(path => !always.includes(path)).flatMap(path => keptAt(path, folder, keeping)),
  ];
  const ways = new Set(kept.flatMap(({ path }) => foldersBetween(folder, path)));
  const isTheirs = (path: string) => isNew({ path }) && !tracked.has(path);
  const known = [...obeyed.map(keyOf), ...always.filter(path => !isTheirs(path))];
  return {
    path: folder,
    known: Object.fromEntries(known.map(path => [path, whereLeads(path)])),
    mounted: Object.fromEntries(
      keeping.isMounted ? kept.flatMap(({ path, isMissing }) => (isMissing ? [] : [[path, identityOf(path)]])) : [],
    ),
    kept: kept.flatMap(({ path, isMissing }) => (isMissing || isTheirs(path) ? [] : [path])),
    closed,
    projects: found.projects,
    standIns: Object.fromEntries(
      keeping.isMounted ? always.filter(isFree).map(path => [path, { place: missingPart(path) }]) : [],
    ),
    missing: [...new Set([...named.missing, ...missing])],
    repositories: proofs,
    places: [...[...ways].map(path => ({ path, isFolder: true, access: 'write' as const })), ...kept],
  };
}

/** Whether a program may have made something: new, in a place open to it, and not decided on by the person. */
function mayHaveMade({ folders, mayAppear }: RunningProgram, { path, mark, isStrange: isOdd }: ObeyedPlace): boolean {
  const key = mark ?? path;
  const [around] = folders
    .filter(folder => folder.path !== key && isWithin(folder.path, key))
    .sort((one, other) => other.path.length - one.path.length);
  if (!around || mayAppear.includes(key)) return false;
  if (around.known[key] === whereLeads(key) && !isWithoutStandIn(around, key)) return false;
  // An earlier version, in another window, did not note what it keeps.
  if (!around.kept || around.kept.some(kept => isWithin(kept, key))) return false;
  // In a folder that was no project it may make such a file.
  return !isOdd || around.projects.includes(dirname(path)) || basename(path).startsWith('.');
}

/** Of paths in a folder, those that the person's git has put there, by the word of repositories that no running program can change. */
export async function trackedSafely(
  repositories: readonly Repository[],
  paths: readonly string[],
  { folder, others }: { folder: string; others: readonly RunningProgram[] },
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const writable = others.flatMap(other => other.writable ?? []);
  return trackedByGit(await outOfReach(repositories, writable), paths, [folder]);
}

const isInside = (folder: string) => (path: string) => isWithin(folder, path);

/** Says that a folder can't be protected because of its size. */
export const tooMuchIn = (folder: string): PolicyError =>
  new PolicyError(
    phrase(
      '"{0}" holds too many folders, repositories or files that must not change to protect all of them. Name the folders in it that it may change instead.',
      visible(folder, 200),
    ),
  );

function keptAt(
  path: string,
  folder: string,
  { writable, isMounted, isAlways }: Pick<Keeping, 'writable' | 'isMounted'> & { isAlways?: boolean },
): SandboxPlace[] {
  if (writable.has(path)) return [];
  const kind = linkKind(path);
  if (kind === 'link') {
    const [real, target] = [realPlace(path), kindOf(path)];
    return [
      ...(isMounted ? [] : [{ path, isFolder: false, access: 'read' as const }]),
      // What is outside the folder can't be changed anyway, and must not become readable.
      ...(real && target && isWithin(folder, real)
        ? [{ path: real, isFolder: target === 'folder', access: 'read' as const }]
        : []),
    ];
  }
  // One that is empty may have been left by us.
  if (kind && !(isAlways && isEmptyFolder(path))) {
    // As spelled on the disk, which may ignore case. Another program may just have put a link on the way.
    const real = realPlace(path);
    return [
      { path: real !== undefined && isWithin(folder, real) ? real : path, isFolder: kind === 'folder', access: 'read' },
    ];
  }
  return isAlways ? [{ path: missingPart(path), isFolder: true, access: 'read', isMissing: true }] : [];
}

/** The first folder on the way to a path that does not exist. */
const missingPart = (path: string): string => (linkKind(dirname(path)) ? path : missingPart(dirname(path)));

/** Whether nothing is there, or an empty folder, which may have been left by us. */
const isFree = (path: string) => !linkKind(path) || isEmptyFolder(path);

/** Whether something is where an empty folder kept it from being made, but no longer does: another program removed that. */
export function isWithoutStandIn({ standIns = {} }: WatchedFolder, path: string): boolean {
  const { place, identity } = standIns[path] ?? {};
  return place !== undefined && identity !== identityOf(place) && !isFree(path);
}

function repositoryOf(folder: string, { path, mark }: ObeyedPlace): Repository[] {
  if (mark) return basename(mark).toUpperCase() === 'HEAD' ? [{ top: path, git: path }] : [];
  const isNested = basename(path).toLowerCase() === '.git' && dirname(path) !== folder;
  return isNested ? [{ top: dirname(path), git: path }] : [];
}

function foldersBetween(folder: string, path: string): string[] {
  const parent = dirname(path);
  return isWithin(folder, parent) && parent !== folder ? [parent, ...foldersBetween(folder, parent)] : [];
}

/** The most folders that are searched, without those in `node_modules`. */
const MAX_FOLDERS = 20_000;
/** The most entries, for each of these folders: a folder can have millions. */
const ENTRIES_PER_FOLDER = 50;
const MAX_ENTRIES = 5_000_000;
/** After so many folders or entries, others get their turn. */
const FOLDERS_PER_TURN = 50;
const ENTRIES_PER_TURN = 5_000;
/** A folder of a longer path can't be mounted. Systems end at 4,096 bytes, and a name has 255 at most. */
const MAX_PATH_BYTES = 3_000;

/** Something in a folder that other programs run or obey. */
export interface ObeyedPlace {
  readonly path: string;
  /** The file for whose sake a folder is obeyed whatever its name: `HEAD` of a bare repository. */
  readonly mark?: string;
  /** It may be changed where it is, because the searched folder is a repository itself. */
  readonly isOpen?: true;
  /** It can't be told whether anybody obeys it: only a new one is moved away. */
  readonly isStrange?: true;
}

/** What has to be known of a folder to notice what appears in it. Plain data, of which a copy is kept on disk. */
export interface WatchedFolder {
  readonly path: string;
  /** What was there for other programs to obey, with where it leads if it is a link. */
  readonly known: Readonly<Record<string, string>>;
  /** Places that are protected by mounts, with what stands there: a mount is gone once something else does. */
  readonly mounted: Readonly<Record<string, string>>;
  /** What the program is kept from changing, with all that is in it. */
  readonly kept: readonly string[];
  /** Where nothing may be made: the empty folder on the way there, and which one it was before the program started. */
  readonly standIns?: Readonly<Record<string, { readonly place: string; readonly identity?: string }>>;
  /** Folders in it that could not be looked into. */
  readonly closed: readonly string[];
  /** Folders that were projects at the start: what the program makes one of has files of the person. */
  readonly projects: readonly string[];
  /** Paths at which git would run or obey a file if there were one. */
  readonly missing: readonly string[];
  /** Those that the program can't change. */
  readonly repositories: readonly Repository[];
  /** Something that must not change appeared in it after the start, so nothing protects that yet. */
  readonly isOutdated?: boolean;
}

/** What a program that runs may change, and what was there before. Plain data: see `RunningNotes`. */
export interface RunningProgram {
  readonly program: string;
  readonly folders: readonly WatchedFolder[];
  /** All places that it may change. Real paths. */
  readonly writable: readonly string[];
  readonly mayAppear: readonly string[];
}

export const keyOf = ({ path, mark }: ObeyedPlace): string => mark ?? path;

/** Where a link leads, by its text and on this disk. Empty: it is none. */
export function whereLeads(path: string): string {
  // It is gone by now.
  return attempt(() => (linkKind(path) === 'link' ? `${readlinkSync(path)}\0${realPlace(path)}` : ''), '');
}

/** Tells a file or folder from another one in its place, as far as the disk can. Empty: there is none. */
export function identityOf(path: string): string {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat ? `${stat.ino} ${stat.birthtimeMs}` : '';
  } catch {
    return 'out of reach'; // A link that leads to itself, or a folder without rights, is on the way.
  }
}

/** What was found in a folder: see `obeyedIn`. */
interface FolderSearch {
  readonly places: readonly ObeyedPlace[];
  /** Folders that could not be read. */
  readonly closed: readonly string[];
  /** Folders of which it can't be told what they hold: their name is no text, or their path is too long. */
  readonly untold: readonly string[];
  /** Folders that are repositories, or hold something to build. */
  readonly projects: readonly string[];
  /** There are more folders than were searched. */
  readonly isPart: boolean;
}

/** Searches a folder, at any depth, for what other programs run or obey. Of `node_modules` only `.bin`. */
export async function obeyedIn(
  top: string,
  { maxFolders = MAX_FOLDERS, projects: before }: { maxFolders?: number; projects?: readonly string[] } = {},
): Promise<FolderSearch> {
  const [places, closed, untold, queue]: [ObeyedPlace[], string[], string[], string[]] = [[], [], [], [top]];
  const projects = new Set(before);
  let left = Math.min(maxFolders * ENTRIES_PER_FOLDER, MAX_ENTRIES);
  for (let at = 0; at < queue.length; at++) {
    if (queue.length > maxFolders || left < 0) return { places, closed, untold, projects: [...projects], isPart: true };
    if (at % FOLDERS_PER_TURN === FOLDERS_PER_TURN - 1) await turn();
    const folder = queue[at]!;
    const entries = await listed(folder, left);
    left -= entries?.length ?? 0;
    const mark = entries && markIn(entries);
    if (!entries) closed.push(folder);
    else if (folder === top) {
      const isGit = basename(top) === '.git';
      if (isGit || isHead(mark)) places.push(...inRepository(top, entries));
      if (!isGit && isHead(mark)) places.push({ path: join(top, mark), isOpen: true });
      if (!isGit) await search(folder, entries);
    } else if (mark) places.push({ path: folder, mark: join(folder, mark) });
    else await search(folder, entries);
  }
  return { places, closed, untold, projects: [...projects], isPart: left < 0 };

  async function search(folder: string, entries: readonly Dirent[]): Promise<void> {
    if (!before && entries.some(({ name }) => marksProject(name))) projects.add(folder);
    for (let from = 0; from < entries.length; from += ENTRIES_PER_TURN) {
      if (from > 0) await turn();
      const some = entries.slice(from, from + ENTRIES_PER_TURN);
      for (const path of obeyedAmong(folder, some, places, projects.has(folder)))
        (isTold(path) ? queue : untold).push(path);
    }
  }
}

const isTold = (path: string) => !basename(path).includes('\ufffd') && Buffer.byteLength(path) <= MAX_PATH_BYTES;

/** Adds what is obeyed, or may be, of the entries of a folder. @returns the folders among them that are to be searched */
function obeyedAmong(folder: string, entries: readonly Dirent[], places: ObeyedPlace[], inProject: boolean): string[] {
  const folders: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (isObeyed(entry.name)) {
      // Nobody obeys an empty one, and the sandbox of another program may have put it there.
      if (!(KEPT_FOLDERS.includes(entry.name) && isEmptyFolder(path))) places.push({ path });
    } else if (entry.name === 'node_modules') {
      if (linkKind(join(path, '.bin'))) places.push({ path: join(path, '.bin') });
    } else {
      const isFolder = entry.isDirectory();
      if (isStrange({ name: entry.name, isFolder, inProject })) places.push({ path, isStrange: true });
      if (isFolder) folders.push(path);
    }
  }
  return folders;
}

/** What git may obey in a repository that is itself the folder to be searched. */
const inRepository = (top: string, entries: readonly Dirent[]) =>
  entries
    .filter(({ name }) => (basename(top) === '.git' ? !isOpenInGit(name) : KEPT_IN_GIT.includes(name.toLowerCase())))
    .map(({ name }) => ({ path: join(top, name) }));

const isHead = (mark: string | undefined): mark is string => mark?.toUpperCase() === 'HEAD';

/** The entries of a folder, up to one more than `most`. Undefined: it can't be read. */
async function listed(folder: string, most: number): Promise<Dirent[] | undefined> {
  let opened: Dir | undefined;
  try {
    opened = opendirSync(folder);
    const entries: Dirent[] = [];
    for (let entry = opened.readSync(); entry && entries.length <= most; entry = opened.readSync())
      if (entries.push(entry) % ENTRIES_PER_TURN === 0) await turn();
    // Without this right its names can be read, but nothing about them.
    if (entries.length > 0) accessSync(folder, constants.X_OK);
    return entries;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It is gone, or something else stands there by now.
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined;
  } finally {
    opened?.closeSync();
  }
}

/** A policy that can't be enforced, so that nothing is started. */
export class PolicyError extends PhraseError {}
