import { resolve } from 'node:path';
import { visible } from '../../../base/text';

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

type Found = Omit<BuildProblem, 'file'> & { readonly file: string };
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
  #raised: { readonly file: string; readonly line: number } | undefined;

  /** @param folder that the build runs in. */
  constructor(private readonly folder: string) {}

  get found(): readonly BuildProblem[] {
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
    const place = TRACEBACK.exec(line)?.groups as Groups | undefined;
    if (place) {
      this.#raised = { file: place.file ?? '', line: Number(place.line) };
      return;
    }
    const found = this.#read(line);
    if (found) this.#report(found);
  }

  #read(line: string): Found | undefined {
    const tsc = groupsOf(TSC, line);
    if (tsc) return { ...foundIn(tsc, 'tsc'), file: tsc.file ?? '' };
    const row = this.#file === undefined ? undefined : groupsOf(ESLINT_ROW, line);
    if (row && this.#file !== undefined) return { ...foundIn(row, 'eslint'), file: this.#file };
    const compact = groupsOf(ESLINT_COMPACT, line);
    if (compact) return { ...foundIn(compact, 'eslint'), file: compact.file ?? '' };
    const python = groupsOf(PYTHON, line);
    if (python) return { ...foundIn(python, 'python'), file: python.file ?? '' };
    const raised = this.#raised && groupsOf(RAISED, line);
    if (!raised || !this.#raised) return undefined;
    const { file, line: at } = this.#raised;
    this.#raised = undefined;
    return { ...foundIn({ ...raised, line: String(at) }, 'python'), file };
  }

  #report(found: Found): void {
    const problem = { ...found, file: resolve(this.folder, found.file) };
    const key = JSON.stringify(problem);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#found.push(problem);
  }
}

const groupsOf = (pattern: RegExp, line: string): Groups | undefined => pattern.exec(line)?.groups;

const foundIn = (groups: Groups, tool: string): Omit<Found, 'file'> => ({
  line: Math.max(1, Number(groups.line ?? groups.line2 ?? 1)),
  column: Math.max(1, Number(groups.column ?? groups.column2 ?? 1)),
  isError: !/^warning$/i.test(groups.kind ?? ''),
  message: visible(groups.message || (groups.code ?? ''), 1_000),
  source: groups.code ? `${tool} ${groups.code}` : tool,
});
