import { basename, dirname, join } from 'node:path';
import { isWithin, realPlace } from '../../base/filePlace';
import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { namedByGit, type Repository, repositoryAround } from './gitConfiguration';
import { KEPT_FOLDERS } from './obeyedNames';
import { identityOf, keyOf, type ObeyedPlace, obeyedIn, type WatchedFolder, whereLeads } from './obeyedPlaces';
import { entriesOf, kindOf, linkKind, type SandboxPlace } from './onDisk';
import { PolicyError } from './policyError';

const MAX_REPOSITORIES = 100;

/** What is needed to protect parts of a writable folder. */
export interface Keeping {
  /** Places that the entry names explicitly. */
  readonly writable: ReadonlySet<string>;
  /** More places that must not change: what the next start of the same program depends on. */
  readonly keeps: readonly string[];
  /** Whether rules are enforced by mounts, which links do not support. */
  readonly isMounted: boolean;
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
 * that, because the program may have put it there.
 * @throws PolicyError if the folder holds too much to protect all of it.
 */
export async function keptIn(folder: string, keeping: Keeping): Promise<KeptFolder> {
  const found = await obeyedIn(folder);
  if (!found) throw tooMuchIn(folder);
  const { places: obeyed, closed } = found;
  for (const path of closed) keeping.notes.push(`${visible(path)} can't be looked into, so it can't be changed`);
  const isBare = obeyed.some(({ isOpen }) => isOpen);
  const around = isBare ? { top: folder, git: folder } : repositoryAround(folder);
  const repositories = [...(around ? [around] : []), ...obeyed.flatMap(place => repositoryOf(folder, place))];
  if (repositories.length > MAX_REPOSITORIES) throw tooMuchIn(folder);
  const named = await namedByGit(folder, repositories, [...keeping.writable]);
  if (!named)
    throw new PolicyError(phrase('git did not report its configuration of {0} in time', visible(folder, 200)));
  const isGit = basename(folder) === '.git';
  const always = [
    ...(isGit ? [] : KEPT_FOLDERS.map(name => join(folder, name))),
    ...(isGit || isBare ? [join(folder, 'hooks')] : []),
    ...named.folders,
  ];
  const there = [
    ...obeyed.filter(({ isOpen }) => !isOpen).map(({ path }) => path),
    ...named.files,
    ...closed,
    ...keeping.keeps.filter(path => isWithin(folder, path)),
  ];
  const kept = [
    ...always.flatMap(path => keptAt(path, folder, { ...keeping, isAlways: true })),
    ...there.filter(path => !always.includes(path)).flatMap(path => keptAt(path, folder, keeping)),
  ];
  const ways = new Set(kept.flatMap(({ path }) => foldersBetween(folder, path)));
  const isOwn = ({ git }: Repository) => [...keeping.writable].some(path => path === git || basename(path) === '.git');
  return {
    path: folder,
    known: Object.fromEntries([...obeyed.map(keyOf), ...always].map(path => [path, whereLeads(path)])),
    mounted: Object.fromEntries(
      keeping.isMounted ? kept.flatMap(({ path, isMissing }) => (isMissing ? [] : [[path, identityOf(path)]])) : [],
    ),
    closed,
    missing: named.missing,
    repositories: repositories.filter(repository => !isOwn(repository)),
    places: [...[...ways].map(path => ({ path, isFolder: true, access: 'write' as const })), ...kept],
  };
}

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
  if (kind && !(isAlways && kind === 'folder' && entriesOf(path).length === 0)) {
    // As spelled on the disk, which may ignore case.
    return [{ path: realPlace(path) ?? path, isFolder: kind === 'folder', access: 'read' }];
  }
  return isAlways ? [{ path: missingPart(path), isFolder: true, access: 'read', isMissing: true }] : [];
}

/** The first folder on the way to a path that does not exist. */
function missingPart(path: string): string {
  return linkKind(dirname(path)) ? path : missingPart(dirname(path));
}

/** The repository that a place belongs to, if it is one or its `.git`. */
function repositoryOf(folder: string, { path, mark }: ObeyedPlace): Repository[] {
  if (mark) return basename(mark).toUpperCase() === 'HEAD' ? [{ top: path, git: path }] : [];
  const isNested = basename(path).toLowerCase() === '.git' && dirname(path) !== folder;
  return isNested ? [{ top: dirname(path), git: path }] : [];
}

/** The folders in a folder that lead to a path. */
function foldersBetween(folder: string, path: string): string[] {
  const parent = dirname(path);
  return isWithin(folder, parent) && parent !== folder ? [parent, ...foldersBetween(folder, parent)] : [];
}
