import { type KnownProgram, knownProgram, programName } from './knownPrograms';
import { lineOf, MAX_LINE, MAX_WORDS, type RunWord, TAKES_LINE, wordsAt } from './runChain';

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
  return programsIn(wordsAt([command, ...args].slice(0, MAX_WORDS)));
}

/**
 * The index in `args` of the file that an interpreter or a shell runs. Undefined: it runs something else, or there is a word
 * before it that is not understood.
 */
export function scriptAt(command: string, args: readonly string[]): number | undefined {
  const known = knownProgram(programName(command));
  if (!known?.flags || (known.kind !== 'interpreter' && known.kind !== 'shell')) return undefined;
  const behind = afterOptions(known, wordsAt(args.slice(0, MAX_WORDS)));
  return behind && scriptIn(behind) && Math.min(args.length, MAX_WORDS) - behind.length;
}

function programsIn(words: readonly RunWord[]): readonly string[] | undefined {
  const [first, ...rest] = words;
  if (!first) return undefined;
  const known = knownProgram(programName(first.text));
  if (!known) return isPath(first.text) ? [first.text] : undefined;
  const behind = known.flags && afterOptions(known, rest);
  if (!behind) return undefined;
  switch (known.kind) {
    case 'wrapper': {
      const at = known.family === 'env' ? behind.findIndex(({ text }) => !ASSIGNMENT.test(text)) : 0;
      const inner = behind.slice(Math.max(at, 0) + known.before);
      return programsIn(inner[0]?.text === '--' ? inner.slice(1) : inner);
    }
    case 'interpreter':
      return scriptIn(behind);
    case 'shell':
      return behind[0] && TAKES_LINE.test(behind[0].text) ? programsOfLine(behind) : scriptIn(behind);
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

function programsOfLine(words: readonly RunWord[]): readonly string[] | undefined {
  if (words.some(({ text }) => text.length > MAX_LINE || SUBSTITUTION.test(text))) return undefined;
  const found: string[] = [];
  for (const command of lineOf(words)) {
    if (!command[0] || BUILTINS.has(command[0].text)) continue;
    const inner = programsIn(command);
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
