import { lstatSync, readdirSync } from 'node:fs';
import { realPlace } from '../../base/filePlace';

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
  const real = realPlace(path);
  const kind = real === undefined ? undefined : linkKind(real);
  return kind === 'link' ? undefined : kind;
}

/** What is there itself. */
export function linkKind(path: string): 'file' | 'folder' | 'link' | undefined {
  try {
    const stat = lstatSync(path);
    return stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'file';
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
