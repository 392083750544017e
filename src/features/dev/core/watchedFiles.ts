import { basename, dirname, parse, relative, resolve } from 'node:path';

interface WatchedPlace {
  readonly base: string;
  readonly pattern: string;
}

const LEFT_OUT = /(^|[\\/])(node_modules|\.git)([\\/]|$)/;

/** The editor makes an expression of each pattern, which may take any time for a name of a file if there are more of these. */
const MAX_IN_NAME = 2;
const MAX_WILDCARDS = 6;
/** Of those for any number of folders: three take minutes for a path of a thousand. */
const MAX_DEEP = 2;
const MAX_GROUPS = 2;

/**
 * The folder that a pattern starts at, and the rest of the pattern. Undefined for one that stands for the whole disk, or has many
 * wildcards.
 * @param from what it is relative to.
 */
export function watchedPlace(glob: string, from: string, platform = process.platform): WatchedPlace | undefined {
  const parts = (platform === 'win32' ? glob.replaceAll('\\', '/') : glob).split('/');
  const magic = parts.findIndex(part => /[*?[\]{}]/.test(part));
  const start = magic < 0 ? parts : parts.slice(0, magic);
  // The slash of a path from the root is its empty first part.
  const folder = resolve(from, start.length === 1 && start[0] === '' ? '/' : start.join('/'));
  const base = magic < 0 ? dirname(folder) : folder;
  const isMany = parts.some(part => countOf(part, /\*+/g) > MAX_IN_NAME) || countOf(glob, /\*{2,}/g) > MAX_DEEP;
  if (isMany || countOf(glob, /\*+/g) > MAX_WILDCARDS || countOf(glob, /[{[]/g) > MAX_GROUPS) return undefined;
  if (parse(base).root === base) return undefined;
  // A folder stands for all that is in it.
  return { base, pattern: magic < 0 ? `${basename(folder)}{,/**}` : parts.slice(magic).join('/') };
}

const countOf = (text: string, pattern: RegExp) => (text.match(pattern) ?? []).length;

/** Whether a file below `base` is one of thousands that programs put there. */
export const isLeftOut = (base: string, path: string): boolean => LEFT_OUT.test(relative(base, path));

/** How often a file has to change during a build to count as made by it. */
const MADE_AFTER = 2;
const MAX_FILES = 5_000;

/** Which events are changes: editor and watcher both report a save, and what a build writes starts no other. */
export class FileChanges {
  readonly #seen = new Map<string, string>();
  readonly #duringBuilds = new Map<string, number>();

  /**
   * @param state what the file is like now, such as its time and size; undefined: it is gone.
   * @param inBuild whether it was written while the build ran.
   */
  isChange(path: string, state: string | undefined, inBuild: boolean): boolean {
    const now = state ?? 'gone';
    if (this.#seen.get(path) === now) return false;
    if (this.#seen.size >= MAX_FILES) this.#seen.clear();
    this.#seen.set(path, now);
    if (!inBuild) return true;
    const times = (this.#duringBuilds.get(path) ?? 0) + 1;
    if (this.#duringBuilds.size >= MAX_FILES) this.#duringBuilds.clear();
    this.#duringBuilds.set(path, times);
    return times < MADE_AFTER;
  }
}
