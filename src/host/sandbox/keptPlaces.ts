import { type Dirent, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isWithin, realPlace } from '../../base/filePlace';
import { readBounded } from '../../base/readBounded';
import { visible } from '../../base/text';
import { KEPT_FILES, KEPT_FOLDERS, KEPT_IN_GIT } from './knownPlaces';
import { entriesOf, kindOf, linkKind, type SandboxPlace } from './onDisk';

/** The most folders that are searched for protected files, the outer ones first. */
const MAX_FOLDERS = 5_000;
const MAX_CONFIG_BYTES = 256 * 1024;
const KEPT = new Set([...KEPT_FOLDERS, ...KEPT_FILES, '.venv', 'venv', '.direnv', '.yarn']);
/** Folders whose hooks git runs, and files that it reads beside its configuration. */
const NAMED_BY_GIT = /^\s*(?:hooksPath|path)\s*=\s*"?([^"\n;#]+?)"?\s*$/gim;

/** What is needed to protect parts of a writable folder. */
export interface Keeping {
  /** Places that the entry names explicitly. */
  readonly writable: ReadonlySet<string>;
  /** Whether rules are enforced by mounts, which links do not support. */
  readonly isMounted: boolean;
  /** For the log, in English. */
  readonly notes: string[];
}

/**
 * What must not change in a writable folder, at any depth: what the editor, git or other programs would run or obey. Folders
 * that lead to such a place are protected too, so that it can't be moved away with them.
 */
export async function keptIn(folder: string, keeping: Keeping): Promise<SandboxPlace[]> {
  if (kindOf(folder) !== 'folder') return [];
  const isGit = basename(folder) === '.git' || isRepository(entriesOf(folder));
  const always = (isGit ? ['hooks'] : KEPT_FOLDERS).map(name => join(folder, name));
  const found = isGit
    ? KEPT_IN_GIT.map(name => join(folder, name))
    : [...keptBelow(folder, keeping.notes), ...(await namedByGit(folder))];
  const kept = [
    ...always.flatMap(path => keptAt(path, true, keeping)),
    ...found.filter(path => !always.includes(path)).flatMap(path => keptAt(path, false, keeping)),
  ];
  const ways = new Set(kept.flatMap(({ path }) => foldersBetween(folder, path)));
  return [...[...ways].map(path => ({ path, isFolder: true, access: 'write' as const })), ...kept];
}

function keptAt(path: string, isAlways: boolean, { writable, isMounted, notes }: Keeping): SandboxPlace[] {
  if (writable.has(path)) return [];
  const kind = linkKind(path);
  if (kind === 'link') {
    if (isMounted) notes.push(`${visible(path)} is a link, which can't be kept from being replaced`);
    const [real, target] = [realPlace(path), kindOf(path)];
    return [
      ...(isMounted ? [] : [{ path, isFolder: false, access: 'read' as const }]),
      ...(real && target ? [{ path: real, isFolder: target === 'folder', access: 'read' as const }] : []),
    ];
  }
  // One that is empty may have been left by us.
  if (kind && !(isAlways && kind === 'folder' && entriesOf(path).length === 0)) {
    // As spelled on the disk, which may ignore case.
    return [{ path: realPlace(path) ?? path, isFolder: kind === 'folder', access: 'read' }];
  }
  return isAlways ? [{ path, isFolder: true, access: 'read', isMissing: true }] : [];
}

/** Paths that are protected because of their name, and folders that git treats as repositories because of their contents. */
function keptBelow(folder: string, notes: string[]): string[] {
  const [found, queue]: [string[], string[]] = [[], [folder]];
  for (let at = 0; at < queue.length; at++) {
    const around = queue[at]!;
    if (at === MAX_FOLDERS) {
      notes.push(
        `${visible(folder)} has many folders: what git and others obey is kept in ${MAX_FOLDERS} of them only`,
      );
      break;
    }
    const entries = listed(around);
    if (at > 0 && isRepository(entries.map(({ name }) => name))) {
      found.push(around);
      continue;
    }
    for (const entry of entries) {
      const path = join(around, entry.name);
      if (KEPT.has(entry.name.toLowerCase()) || entry.name.endsWith('.code-workspace')) found.push(path);
      else if (entry.name === 'node_modules') found.push(join(path, '.bin'));
      else if (entry.isDirectory()) queue.push(path);
    }
  }
  return found;
}

const isRepository = (names: readonly string[]) => names.includes('HEAD') && names.includes('objects');

function listed(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // it may not be read, or is gone
  }
}

/** Paths that the git configuration of the surrounding repository names. */
async function namedByGit(folder: string): Promise<string[]> {
  const isTop = (at: string) => linkKind(join(at, '.git', 'config')) === 'file';
  let top = folder;
  while (!isTop(top) && top !== dirname(top)) top = dirname(top);
  if (!isTop(top)) return [];
  const text = await readBounded(join(top, '.git', 'config'), MAX_CONFIG_BYTES).catch(() => '');
  return [...text.matchAll(NAMED_BY_GIT)]
    .flatMap(([, path = '']) => [resolve(top, path), resolve(top, '.git', path)])
    .filter(path => isWithin(folder, path) && path !== folder && kindOf(path) !== undefined);
}

/** The folders in a folder that lead to a path. */
function foldersBetween(folder: string, path: string): string[] {
  const parent = dirname(path);
  return isWithin(folder, parent) && parent !== folder ? [parent, ...foldersBetween(folder, parent)] : [];
}
