import { basename, dirname, parse, relative, resolve } from 'node:path';
import { english, type Phrase, phrase } from '../../../base/phrase';
import { Coalescer, Queue } from '../../../base/queue';
import { visible } from '../../../base/text';
import { runProgram, type ServerConnection } from '../../../host';
import { CATALOG_KINDS } from '../../../host/catalog';
import type { ProgramPorts } from '../../../host/definition';
import { compareSnapshots, type InterfaceChange, type InterfaceSnapshot, snapshotOf } from '../../authors/core';

/** The result of the last change of a server's files. Times are in milliseconds since 1970. */
export type DevState =
  | { readonly kind: 'building' | 'restarting' }
  | {
      readonly kind: 'buildFailed';
      readonly reason: Phrase | string;
      readonly tail: readonly string[];
      readonly problems: readonly BuildProblem[];
    }
  | {
      readonly kind: 'reloaded';
      readonly changes: readonly InterfaceChange[];
      readonly at: number;
      /** From the change to the last of its lists. */
      readonly ms: number;
    };

interface ReloaderPorts extends ProgramPorts {
  log(level: 'info' | 'error', text: string): void;
  changed(): void;
}

/** Longer builds than this are stuck. */
const BUILD_MS = 5 * 60_000;
/** An editor that saves all, a formatter, a checkout: many files change in one go. */
const TOGETHER = { quietMs: 100, maxMs: 1_000 };
const TAIL_LINES = 8;
/** In characters, of one line. */
const MAX_TAIL = 2_000;
/** Of one build. A build may print megabytes, and the log has other lines to keep. */
const MAX_LOGGED = 2_000;
const FILES_CHANGED = phrase('its files changed');
/** Those wait for a person, whom a changed file does not replace. */
const WAITS = ['needsTrust', 'needsInput', 'needsAuth'];

/**
 * Builds and restarts one server when its files have changed. The next change cancels a build; while a build fails, the server
 * that runs is kept.
 */
export class Reloader {
  readonly #together = new Coalescer(() => void this.reload(), TOGETHER);
  #state: DevState | undefined;
  #run = new AbortController();
  /** Two builds at once would write the same files. */
  readonly #builds = new Queue();
  /** When the last build began and ended; it has no end while it runs. */
  #built: { from: number; to: number } | undefined;
  /** Its interface before the first change that it has not recovered from. */
  #before: InterfaceSnapshot | undefined;

  constructor(
    private readonly server: ServerConnection,
    private readonly ports: ReloaderPorts,
    private readonly buildMs = BUILD_MS,
  ) {}

  get state(): DevState | undefined {
    // What is said of its last reload is no longer true of what somebody else has started.
    return this.#state?.kind === 'reloaded' && this.server.state.kind !== 'ready' ? undefined : this.#state;
  }

  builtAt(time: number): boolean {
    return this.#built !== undefined && this.#built.from <= time && time <= this.#built.to;
  }

  fileChanged(): void {
    this.#together.trigger();
  }

  /** Resolves when it is back, or when there is nothing left to do. */
  async reload(): Promise<void> {
    if (WAITS.includes(this.server.state.kind)) return;
    this.#run.abort();
    this.#run = new AbortController();
    const { signal } = this.#run;
    const began = performance.now();
    this.#before ??= this.#snapshot();
    const isBuilt = await this.#builds.run(async () => !signal.aborted && this.#build(signal));
    if (!isBuilt || signal.aborted) return;
    // One that is stopped starts with what was built.
    if (this.server.state.kind === 'stopped') this.#set(undefined);
    else await this.#restart(signal, began);
  }

  dispose(): void {
    this.#together.cancel();
    this.#run.abort();
  }

  /** @returns whether the server is to be restarted. */
  async #build(signal: AbortSignal): Promise<boolean> {
    const admitted = await this.ports.launch.admit(this.server.definition, 'build');
    if ('needs' in admitted) {
      this.ports.log('info', `its files changed, but it is not built: ${english(admitted.reason)}`);
      return false;
    }
    const { entry } = admitted;
    if (entry.type !== 'stdio') return false;
    const commandLine = entry.dev?.build;
    if (commandLine === undefined) return true;
    const { place } = this.server.definition;
    this.#set({ kind: 'building' });
    this.ports.log('info', `building: ${visible(commandLine, 300)}`);
    const tail: string[] = [];
    let logged = 0;
    const cwd = entry.cwd ?? place.base;
    const problems = new BuildProblems(cwd);
    const built = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.#built = built;
    const reason = await runProgram({
      admitted,
      ports: this.ports,
      commandLine,
      cwd,
      timeoutMs: this.buildMs,
      signal,
      onLine: line => {
        if (logged < MAX_LOGGED) this.ports.log('info', `build: ${line}`);
        else if (logged === MAX_LOGGED) this.ports.log('info', `build: (only its first ${MAX_LOGGED} lines are kept)`);
        logged++;
        problems.add(line);
        if (line.trim() === '') return;
        tail.push(line.slice(0, MAX_TAIL));
        if (tail.length > TAIL_LINES) tail.shift();
      },
    });
    built.to = Date.now();
    if (signal.aborted) this.ports.log('info', 'the build was cancelled: files have changed again');
    else if (reason) {
      this.ports.log('error', `the build failed: ${english(reason)}; the server keeps running unchanged`);
      this.#set({ kind: 'buildFailed', reason, tail, problems: problems.list });
    }
    return reason === undefined;
  }

  async #restart(signal: AbortSignal, began: number): Promise<void> {
    const { server } = this;
    this.#set({ kind: 'restarting' });
    await server.restart(FILES_CHANGED);
    if (signal.aborted) return;
    await Promise.all(CATALOG_KINDS.map(kind => server.catalog.loaded(kind)));
    if (signal.aborted) return;
    const now = this.#snapshot();
    if (!now) {
      this.#set(undefined);
      return;
    }
    const changes = this.#before ? compareSnapshots(this.#before, now) : [];
    this.#before = undefined;
    const ms = performance.now() - began;
    this.ports.log('info', `reloaded in ${Math.round(ms)} ms; changes of its interface: ${changes.length}`);
    this.#set({ kind: 'reloaded', changes, at: Date.now(), ms });
  }

  #snapshot(): InterfaceSnapshot | undefined {
    const { info, catalog } = this.server;
    const isKnown = ['tools', 'prompts', 'resourceTemplates'] as const;
    if (!info || isKnown.some(kind => !['ready', 'unsupported'].includes(catalog.list(kind).status))) return undefined;
    const { tools, prompts, resourceTemplates } = catalog;
    return snapshotOf({ instructions: info.instructions, tools, prompts, resourceTemplates });
  }

  #set(state: DevState | undefined): void {
    if (this.#state === state) return;
    this.#state = state;
    this.ports.changed();
  }
}

/** Where changes are looked for, as the editor's watcher takes it. */
interface WatchedPlace {
  readonly base: string;
  readonly pattern: string;
}

const LEFT_OUT = /(^|[\\/])(node_modules|\.git)([\\/]|$)/;

/**
 * The folder that a pattern starts at, and the rest of the pattern. Undefined for one that stands for the whole disk.
 * @param from what it is relative to.
 */
export function watchedPlace(glob: string, from: string, platform = process.platform): WatchedPlace | undefined {
  const parts = (platform === 'win32' ? glob.replaceAll('\\', '/') : glob).split('/');
  const magic = parts.findIndex(part => /[*?[\]{}]/.test(part));
  const start = magic < 0 ? parts : parts.slice(0, magic);
  // The slash of a path from the root is its empty first part.
  const folder = resolve(from, start.length === 1 && start[0] === '' ? '/' : start.join('/'));
  const base = magic < 0 ? dirname(folder) : folder;
  if (parse(base).root === base) return undefined;
  // A folder stands for all that is in it.
  return { base, pattern: magic < 0 ? `${basename(folder)}{,/**}` : parts.slice(magic).join('/') };
}

/** Whether a file below `base` is one of thousands that programs put there. */
export const isLeftOut = (base: string, path: string): boolean => LEFT_OUT.test(relative(base, path));

/** How often a file has to change during a build to count as made by it. */
const MADE_AFTER = 2;
const MAX_FILES = 5_000;

/**
 * Decides which events are changes: the editor and its watcher both report a save; and files that a build writes must not start
 * the next one.
 */
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

/** An error or a warning of a build, at its place. Line and column begin at 1. */
export interface BuildProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly isError: boolean;
  readonly message: string;
  /** What found it, and its own name for it, such as `TS2322`. */
  readonly source: string;
}

/** More than these nobody reads. */
const MAX_PROBLEMS = 200;
/** Longer lines are data, not messages. */
const MAX_LINE = 2_000;

type Groups = Readonly<Record<string, string | undefined>>;

/** `tsc`, in the form for files and in the one for terminals. */
const TSC =
  /^(?<file>[^\s(][^(]*)(?:\((?<line>\d+),(?<column>\d+)\):|:(?<line2>\d+):(?<column2>\d+) -) (?<kind>error|warning) (?<code>TS\d+): (?<message>.+)$/;
/** ESLint's default form has the file on a line before, and `compact` has all on one. */
const ESLINT_ROW =
  /^ {2,}(?<line>\d+):(?<column>\d+) {2,}(?<kind>error|warning) {2,}(?<message>.+?)(?: {2,}(?<code>[\w@/-]+))?$/;
const ESLINT_COMPACT =
  /^(?<file>.+?): line (?<line>\d+), col (?<column>\d+), (?<kind>Error|Warning) - (?<message>.+?)(?: \((?<code>[\w@/-]+)\))?$/;
/** mypy and pyright; ruff and flake8 give a code instead of a kind. */
const PYTHON =
  /^ *(?<file>[^\s:][^:]*\.pyi?|[A-Za-z]:[^:]*\.pyi?):(?<line>\d+):(?:(?<column>\d+):?)? (?:- )?(?:(?<kind>error|warning): |(?<code>[A-Z]{1,4}\d{3,4}) )(?<message>.+)$/;
/** What finds a problem that is on one line. */
const FORMS = [
  [TSC, 'tsc'],
  [ESLINT_COMPACT, 'eslint'],
  [PYTHON, 'python'],
] as const;
/** The place in a traceback, and the error that follows the innermost one. */
const TRACEBACK = /^ *File "(?<file>[^"]+\.py)", line (?<line>\d+)/;
const RAISED = /^(?:Sorry: )?(?<code>[A-Z]\w*(?:Error|Exception|Warning)): ?(?<message>.*)$/;
/** A file alone on its line. */
const FILE = /^(?<file>\/\S.*|[A-Za-z]:\\.+|\.{0,2}[\w./\\-]+)\.(?<extension>[cm]?[jt]sx?|vue|svelte)$/;

/** Finds errors of `tsc`, ESLint and Python in the output of a build, line by line. */
export class BuildProblems {
  readonly #found: BuildProblem[] = [];
  readonly #seen = new Set<string>();
  /** The file that the rows of ESLint are about. */
  #file: string | undefined;
  /** Where the traceback has come to. */
  #raised: Groups | undefined;

  /** @param folder that the build runs in. */
  constructor(private readonly folder: string) {}

  get list(): readonly BuildProblem[] {
    return this.#found;
  }

  add(text: string): void {
    const line = text.trimEnd();
    if (line.length > MAX_LINE || this.#found.length >= MAX_PROBLEMS) return;
    const file = FILE.test(line) ? line : undefined;
    if (file || line === '') {
      if (file) this.#file = file;
      return;
    }
    const place = groupsOf(TRACEBACK, line);
    if (place) {
      this.#raised = place;
      return;
    }
    const found = this.#read(line);
    if (found) this.#report(found);
  }

  #read(line: string): BuildProblem | undefined {
    const row = this.#file === undefined ? undefined : groupsOf(ESLINT_ROW, line);
    if (row) return problemOf({ ...row, file: this.#file }, 'eslint');
    for (const [form, tool] of FORMS) {
      const groups = groupsOf(form, line);
      if (groups) return problemOf(groups, tool);
    }
    const raised = this.#raised && groupsOf(RAISED, line);
    if (!raised) return undefined;
    const place = this.#raised;
    this.#raised = undefined;
    return problemOf({ ...raised, ...place }, 'python');
  }

  #report(found: BuildProblem): void {
    const problem = { ...found, file: resolve(this.folder, found.file) };
    const key = JSON.stringify(problem);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#found.push(problem);
  }
}

const groupsOf = (pattern: RegExp, line: string): Groups | undefined => pattern.exec(line)?.groups;

const problemOf = (groups: Groups, tool: string): BuildProblem => ({
  file: groups.file ?? '',
  line: Math.max(1, Number(groups.line ?? groups.line2 ?? 1)),
  column: Math.max(1, Number(groups.column ?? groups.column2 ?? 1)),
  isError: !/^warning$/i.test(groups.kind ?? ''),
  message: visible(groups.message || (groups.code ?? ''), 1_000),
  source: groups.code ? `${tool} ${groups.code}` : tool,
});
