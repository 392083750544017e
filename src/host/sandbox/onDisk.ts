import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

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
export function linkKind(path: string): 'file' | 'folder' | 'link' | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat && (stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'file');
  } catch {
    return undefined;
  }
}

/** The names in a folder. Empty if it can't be read. */
export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

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
