import { lstatSync, readdirSync, statSync } from 'node:fs';

/** A file or folder as the program finds it. Of several that are nested, the innermost decides. */
export interface SandboxPlace {
  readonly path: string;
  readonly isFolder: boolean;
  readonly access: 'hidden' | 'read' | 'write';
  /** It is not there, and must not become so: an empty folder stands in its place meanwhile. */
  readonly isMissing?: true;
}

/** What a path leads to, behind all links. Undefined: nothing, or nothing that can be told. */
export function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    // Most of the places that are known are on no one machine: an error for each would take longest.
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && (stat.isDirectory() ? 'folder' : 'file');
  } catch {
    return undefined;
  }
}

/** What is there itself. */
export function linkKind(path: string): 'file' | 'folder' | 'link' | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat && (stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'file');
  } catch {
    return undefined;
  }
}

/** The names in a folder. None where it can't be read. */
export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
