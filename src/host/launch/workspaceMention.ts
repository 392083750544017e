import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import * as nodePath from 'node:path';
import { normalized } from '../../base/normalized';
import { percentDecoded } from '../../base/text';
import type { LaunchPlace } from '../definition/definition';
import { programIn, type ServerEntry } from '../settings';

/** More parts of one text than these are not looked at: it counts as a mention. */
const MAX_PARTS = 2_000;
/** A path through more folders counts as one that leads into the workspace: every folder on the way would be looked up. */
const MAX_FOLDERS = 1_000;
/** No system opens a longer path. */
const MAX_PATH = 32_768;

type Paths = Pick<typeof nodePath, 'resolve' | 'sep' | 'dirname' | 'join' | 'parse' | 'isAbsolute'>;

/** The machine, as far as paths depend on it. */
export interface PathRules {
  platform?: NodeJS.Platform;
  path?: Paths;
  home?: string;
  /** Those that a program finds in its environment besides the editor's, and may fill into texts. */
  variables?: Readonly<Record<string, string | null | undefined>>;
  /** The path without links. Throws when there is nothing. */
  real?(path: string): string;
}

/**
 * Tells whether texts lead into some folders: the folders of a workspace that is not trusted, from which nothing may get
 * into a launch. Fails closed: a text that merely holds the path of such a folder counts.
 */
export class WorkspaceMention {
  readonly #folders: readonly string[];
  readonly #isWindows: boolean;
  readonly #ignoresCase: boolean;
  readonly #path: Paths;
  readonly #home: string;
  readonly #variables: ReadonlyMap<string, string>;
  readonly #realPath: (path: string) => string;
  readonly #known = new Map<string, string>();

  constructor(
    folders: readonly string[],
    { platform = process.platform, path, home, variables = {}, real }: PathRules = {},
  ) {
    this.#isWindows = platform === 'win32';
    // On disks where it matters there, too: a wrong yes costs a start, a wrong no may cost everything.
    this.#ignoresCase = platform === 'win32' || platform === 'darwin';
    this.#path = path ?? nodePath;
    this.#home = home ?? homedir();
    const known = { ...process.env, HOME: this.#home, USERPROFILE: this.#home, ...variables };
    this.#variables = new Map(
      Object.entries(known).flatMap(([name, value]) => (value ? [[this.#nameOf(name), value] as const] : [])),
    );
    this.#realPath = real ?? realpathSync.native;
    const all = folders.flatMap(folder => [this.#path.resolve(folder), this.#real(this.#path.resolve(folder))]);
    this.#folders = [...new Set(all.map(folder => this.#fold(folder)))];
  }

  /**
   * Whether a text names something in one of the folders: by its path anywhere in it, as a `file:` URL, by a path that is
   * relative to `from`, or through links.
   * @param from absolute path. Undefined: relative paths lead nowhere.
   */
  in(text: string, from: string | undefined): boolean {
    if (this.#folders.length === 0) return false;
    const bare = this.#unquoted(text);
    const spelled = [...new Set([text, percentDecoded(text), bare].flatMap(one => [one, this.#filled(one)]))];
    if (spelled.some(one => this.#holds(this.#fold(one)))) return true;
    const parts = new Set(spelled.flatMap(one => this.#partsOf(one)));
    if (parts.size > MAX_PARTS) return true;
    return [...parts].some(part => this.leadsInto(part, from));
  }

  /** Folders that a text names and that one of the folders lies in: a program that goes there reaches it by a relative path. */
  waysTo(text: string): string[] {
    const parts = [text, this.#filled(text), this.#unquoted(text)].flatMap(one =>
      this.#partsOf(one).slice(0, MAX_PARTS),
    );
    const named = parts.filter(part => this.#path.isAbsolute(part)).map(part => this.#path.resolve(part));
    return [...new Set(named)].filter(part => {
      const above = this.#fold(this.#real(part));
      return this.#folders.some(folder =>
        folder.startsWith(above.endsWith(this.#path.sep) ? above : above + this.#path.sep),
      );
    });
  }

  /** Whether this one path leads into one of the folders, with links resolved or without. */
  leadsInto(path: string, from: string | undefined): boolean {
    if (path === '' || path.includes('\0') || this.#folders.length === 0) return false;
    if (from === undefined && !this.#path.isAbsolute(path)) return false;
    const start = from ?? this.#path.sep;
    if (this.#isInside(this.#path.resolve(start, path))) return true;
    if (path.length > MAX_PATH) return false;
    return this.#levelsOf(path).length > MAX_FOLDERS || this.#isInside(this.#physical(path, start));
  }

  /** What may be a path in a text: an option has it after `=` or right behind its letter, a list has several. */
  #partsOf(text: string): string[] {
    const parts = [text, ...text.split(/[\s"'`,;=<>|&()[\]{}@#?!]+/)];
    const lists = parts.flatMap(part => part.split(this.#isWindows ? /:(?![\\/])/ : ':'));
    const glued = [...parts, ...lists].flatMap(part => /^-[A-Za-z](.+)$/s.exec(part)?.[1] ?? []);
    const urls = parts.flatMap(part => /^file:(?:\/\/(?:localhost)?(?=\/))?(.+)$/is.exec(part)?.[1] ?? []);
    return [...parts, ...lists, ...glued, ...urls, ...urls.map(url => url.replace(/^\/+(?=[A-Za-z]:)/, ''))];
  }

  #holds(text: string): boolean {
    return this.#folders.some(folder => {
      for (let at = text.indexOf(folder); at >= 0; at = text.indexOf(folder, at + 1)) {
        const next = text.slice(at + folder.length, at + folder.length + 1);
        // "/work/app" is not a folder above "/work/app-2".
        if (folder.endsWith(this.#path.sep) || !/[\p{L}\p{N}_-]/u.test(next)) return true;
      }
      return false;
    });
  }

  #isInside(path: string): boolean {
    const { sep } = this.#path;
    const folded = this.#fold(path);
    return this.#folders.some(
      folder => folded === folder || folded.startsWith(folder.endsWith(sep) ? folder : folder + sep),
    );
  }

  /** Equal for all spellings of one path. */
  #fold(text: string): string {
    let folded = normalized(text);
    if (this.#isWindows) {
      // Prefixes of long paths (`\\?\C:\`, `\\?\UNC\server\`), and drives of this machine as shares of it.
      folded = folded.replace(/^[\\/]{2}[?.][\\/](unc(?=[\\/]))?/i, '').replace(/[\\/]+/g, '\\');
      folded = folded.replace(/^\\(localhost|127\.0\.0\.1)\\([a-z])\$(?=\\|$)/i, '$2:');
    } else folded = folded.replace(/\/(\.?\/)+/g, '/');
    return this.#ignoresCase ? folded.toLowerCase() : folded;
  }

  /** As the system walks it: `..` after a link leaves the folder that the link leads to. */
  #physical(path: string, from: string): string {
    const { root } = this.#path.parse(path);
    let at = root === '' ? this.#real(from) : this.#path.resolve(from, root);
    for (const part of this.#levelsOf(path.slice(root.length))) {
      if (part === '..') at = this.#path.dirname(at);
      else if (part !== '' && part !== '.') at = this.#real(this.#path.join(at, part));
    }
    return at;
  }

  #levelsOf(path: string): string[] {
    return path.split(this.#isWindows ? /[\\/]+/ : /\/+/);
  }

  #real(path: string): string {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    let real = path;
    try {
      real = this.#realPath(path);
    } catch {
      // It is not there: nothing leads anywhere.
    }
    this.#known.set(path, real);
    return real;
  }

  /** Without what a shell takes away: `my\ clone`, `"my cl"one`. */
  #unquoted(text: string): string {
    return text.replace(this.#isWindows ? /["'^`]/g : /["'\\]/g, '');
  }

  /** Fills in variables as a shell would. */
  #filled(text: string): string {
    const home = text.replace(/(?<![\w~])~(?=[\\/]|$)/g, () => this.#home);
    const known = (name: string) =>
      this.#variables.get(this.#nameOf(name)) ?? (/^home$/i.test(name) ? this.#home : undefined);
    return home
      .replace(/\$\{(?:env:)?(\w+)\}|%(\w+)%/gi, (all, name: string, other: string) => known(name ?? other) ?? all)
      .replace(/\$(?:env:)?(\w+)/gi, (all, name: string) => known(name) ?? all);
  }

  #nameOf(name: string): string {
    return this.#isWindows ? name.toUpperCase() : name;
  }
}

/** Whether the `cwd` that an entry sets, or its `envFile`, is in one of these folders. @param entry with absolute paths */
export function runsInside(entry: ServerEntry, { saysCwd }: LaunchPlace, folders: readonly string[]): boolean {
  const program = programIn(entry);
  if (!program || folders.length === 0) return false;
  const paths = [saysCwd ? program.cwd : undefined, program.envFile].filter(path => path !== undefined);
  if (paths.length === 0) return false;
  const mention = new WorkspaceMention(folders);
  return paths.some(path => mention.leadsInto(path, undefined));
}
