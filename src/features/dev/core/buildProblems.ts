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
