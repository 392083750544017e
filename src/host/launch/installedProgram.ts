import { phrase } from '../../base/phrase';
import type { ServerDefinition } from '../definition/definition';
import type { Problem, ProgramEntry, ServerEntry } from '../settings';
import { forExample, quote } from '../settings/fieldProblems';
import { type KnownProgram, knownProgram, type PackageRunner, programName } from './knownPrograms';
import {
  costOf,
  fetchedBy,
  LineBudget,
  lineOf,
  mentionsRunner,
  programsOf,
  type RunWord,
  TAKES_LINE,
  wordsAt,
} from './runChain';

/** The package runner that a command line starts, directly or through wrappers, shells and scripts. Undefined for all else. */
export function packageRunner(command: string, args: readonly string[]): PackageRunner | undefined {
  const chain = programsOf(command, args);
  return 'programs' in chain ? chain.programs.map(fetchedBy).find(Boolean)?.runner : undefined;
}

/** Whether a program can fetch and run packages or images, regardless of its arguments. */
export function isPackageProgram(command: string): boolean {
  return (knownProgram(programName(command))?.fetches.length ?? 0) > 0;
}

type LaunchedEntry = Pick<ServerDefinition, 'entry'>;

/** Whether a package runner is found in its command line, and with it a package that can be named. */
export const runsPackage = ({ entry }: LaunchedEntry): boolean =>
  entry?.type === 'stdio' && packageRunner(entry.command, entry.args) !== undefined;

/** Whether its command line names a package manager that installs something, or may: it gets the variables for these. */
export function namesInstaller({ entry }: LaunchedEntry): boolean {
  if (entry?.type !== 'stdio') return false;
  const { command, args } = entry;
  const chain = programsOf(command, args);
  return (
    !('programs' in chain) ||
    mentionsRunner(args) ||
    chain.programs.some(
      (program, index) =>
        fetchedBy(program) || (index > 0 && program.known?.kind === 'manager' && program.known.fetches.length > 0),
    )
  );
}

/**
 * Whether the same settings may run a different program at each start, because something fetches it. A fixed version does not
 * prevent that, because the package's dependencies may change. Fails closed: only a command line that is understood as a whole,
 * and that runs what is installed, does not count.
 */
export function fetchesAtStart({ entry }: LaunchedEntry): boolean {
  if (entry?.type !== 'stdio') return false;
  const { command, args } = entry;
  return installedPrograms(command, args) === undefined || mentionsRunner(args);
}

/** Commands of a shell that run nothing. */
const BUILTINS = new Set(['cd', 'export', 'umask', 'ulimit']);
/** Programs that are known only when a line runs. */
const SUBSTITUTION = /`|[$<>]\(/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const HOME = /^(~|\$HOME|\$\{HOME\})(?=[\\/])/;

/**
 * The programs, scripts and modules that a command line runs, as written, if it is understood as a whole and runs nothing but
 * what is installed on this machine: a program by its path, or an interpreter with a file, directly, behind wrappers or in a
 * line of a shell. Undefined for all else. What comes behind a program is its own.
 */
export function installedPrograms(command: string, args: readonly string[]): readonly string[] | undefined {
  const programs = LineBudget.reading(command, budget => programsIn(wordsAt([command, ...args]), budget));
  return programs && 'cannotBeTold' in programs ? undefined : programs;
}

/** The index in `args` of the file that an interpreter or shell runs. Undefined: something else, or not understood. */
export function scriptAt(command: string, args: readonly string[]): number | undefined {
  const known = knownProgram(programName(command));
  if (!known?.flags || (known.kind !== 'interpreter' && known.kind !== 'shell')) return undefined;
  const behind = afterOptions(known, wordsAt(args));
  return behind && scriptIn(behind) && args.length - behind.length;
}

function programsIn(words: readonly RunWord[], budget: LineBudget): readonly string[] | undefined {
  const [first, ...rest] = words;
  if (!first) return undefined;
  budget.spend(costOf(words));
  const known = knownProgram(programName(first.text));
  if (!known) return isPath(first.text) ? [first.text] : undefined;
  const behind = known.flags && afterOptions(known, rest);
  if (!behind) return undefined;
  switch (known.kind) {
    case 'wrapper': {
      const at = known.family === 'env' ? behind.findIndex(({ text }) => !ASSIGNMENT.test(text)) : 0;
      const inner = behind.slice(Math.max(at, 0) + known.before);
      return programsIn(inner[0]?.text === '--' ? inner.slice(1) : inner, budget);
    }
    case 'interpreter':
      return scriptIn(behind);
    case 'shell':
      return behind[0] && TAKES_LINE.test(behind[0].text) ? programsOfLine(behind, budget) : scriptIn(behind);
    default:
      return undefined;
  }
}

/** The words behind options. Undefined: one of these is not known, or leads to another machine. */
function afterOptions(
  { kind, flags, values }: KnownProgram,
  words: readonly RunWord[],
): readonly RunWord[] | undefined {
  for (let index = 0; index < words.length; index++) {
    const { text } = words[index]!;
    if (flags!.test(text)) continue;
    if (text === '--') return words.slice(index + 1);
    if (!text.startsWith('-') || (kind === 'shell' && TAKES_LINE.test(text))) return words.slice(index);
    const [, name = '', value] = /^(--[^=]+)=(.*)$/s.exec(text) ?? /^(-\w)(.+)$/s.exec(text) ?? [];
    if (values.has(text)) index++;
    else if (!values.has(name)) return undefined;
    if (isRemote(value ?? words[index]?.text ?? '')) return undefined;
  }
  return [];
}

function scriptIn([script]: readonly RunWord[]): readonly string[] | undefined {
  if (!script || /^(-|$)/.test(script.text) || isRemote(script.text) || /[`$*?]/.test(withoutHome(script.text)))
    return undefined;
  // `npx-cli.js`, and `pip` as a module.
  return knownProgram(programName(script.text)) ? undefined : [script.text];
}

function programsOfLine(words: readonly RunWord[], budget: LineBudget): readonly string[] | undefined {
  if (words.some(({ text }) => SUBSTITUTION.test(text))) return undefined;
  const found: string[] = [];
  for (const command of lineOf(words, budget)) {
    if (!command[0] || BUILTINS.has(command[0].text)) continue;
    const inner = programsIn(command, budget);
    if (!inner) return undefined;
    found.push(...inner);
  }
  return found.length > 0 ? found : undefined;
}

const isPath = (text: string) =>
  /[\\/]/.test(text) && !isRemote(text) && !/[`$%*?\0]/.test(withoutHome(text)) && !/[\\/]$/.test(text);

const withoutHome = (text: string) => text.replace(HOME, '');

/** `https:`, `data:`, `npm:`; a drive of Windows has one letter. */
const isRemote = (text: string) => /^(?!file:|node:)[a-z][a-z\d+.-]+:/i.test(text);

type Path = (string | number)[];

/** What can be told about a program before it is launched. Paths are relative to its entry. In web windows: `src/web`. */
export const programProblems = (entry: ServerEntry): readonly Problem[] =>
  entry.type === 'stdio' ? [...foreignPaths(entry), ...loneProgram(entry)] : [];

/** A drive or a share, in a path of Windows; a folder that only other systems have at the root. */
const FOREIGN =
  process.platform === 'win32' ? /^\/(usr|opt|home|Users|bin|mnt|var|etc|tmp)\// : /^(?:[a-z]:[\\/]|\\\\\w)/i;
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'Windows', darwin: 'macOS', linux: 'Linux' };

/** Warnings about paths of another operating system, as after the settings came from another machine. */
function foreignPaths({ command, args, cwd, envFile }: ProgramEntry): Problem[] {
  const scripts = new Set(installedPrograms(command, args));
  const places: [field: Path, text: string | undefined][] = [
    [['command'], command],
    [['cwd'], cwd],
    [['envFile'], envFile],
    ...args.flatMap((arg, index): [Path, string][] => (scripts.has(arg) ? [[['args', index], arg]] : [])),
  ];
  return places.flatMap(([path, text]): Problem[] => {
    if (text === undefined || !FOREIGN.test(text)) return [];
    const message = phrase(
      '{0} is a path of another operating system: servers run on {1} here.',
      quote(String(path[0])),
      SYSTEMS[process.platform] ?? process.platform,
    );
    return [{ severity: 'warning', path, message }];
  });
}

/** Programs that read what to run from their standard input if no argument names it. */
const WAITING =
  /(^|[\\/])(node(js)?|python[\d.]*|pyw?|deno|ruby|perl|php|npx|(ba|da|k|z)?sh|pwsh|powershell|cmd)(\.(exe|cmd))?$/i;

/** The error of a program that runs nothing, which would start and never answer. */
function loneProgram({ command, args }: ProgramEntry): Problem[] {
  if (args.length > 0 || !WAITING.test(command)) return [];
  const message = phrase(
    '"args" is missing: {0} alone runs no server, and never answers. {1}',
    quote(command),
    forExample('"args": ["server.js"]'),
  );
  return [{ severity: 'error', path: ['command'], message }];
}
