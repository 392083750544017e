import { ecosystemOf } from './knownPrograms';
import { behind, fetchedBy, mentionedRunners, programsOf, type RunProgram } from './runChain';

const isAbsolute = (path: string) => /^([/\\]|[A-Za-z]:[/\\]|(file|data|node):)/.test(path);

/**
 * Whether files in the working folder decide what a command line runs. That is so for package managers and programs installed
 * in a project; for modules found by name, as in `python -m server`; and for scripts elsewhere whose interpreter reads
 * settings of the folder, such as `tsconfig.json`. It also counts for programs that are known only at launch, and for unknown
 * ones that mention a package runner.
 */
export function runsWhatItFinds(command: string, args: readonly string[]): boolean {
  const programs = programsOf(command, args);
  if (command.includes('${input:') || programs.some(finds)) return true;
  // Programs run by these do not see the folder.
  if (programs.some(({ known }) => known?.kind === 'elsewhere')) return false;
  return mentionedRunners(args).some(runner => ecosystemOf(runner) !== 'image');
}

/** Whether this program, with these arguments, searches its folder for what to run. */
function finds(program: RunProgram): boolean {
  const {
    known,
    words: [, ...words],
  } = program;
  if (!known) return false;
  const { family, kind, wraps, reads } = known;
  if (kind === 'manager' || (kind === 'wrapper' && reads !== undefined)) return true;
  if (kind !== 'interpreter') return false;
  if (fetchedBy(program) || (wraps !== undefined && behind(words, wraps))) return true;
  for (let index = 0; index < words.length; index++) {
    const { text } = words[index]!;
    const next = words[index + 1]?.text ?? '';
    // A relative path is in the folder anyway, as the person intends.
    if (!text.startsWith('-')) return reads !== undefined && isAbsolute(text);
    if (looks(family, text, next)) return true;
    if (known.values.has(text)) index++;
  }
  return false;
}

/** Whether this option makes it search its folder for a module or file. */
function looks(family: string, option: string, next: string): boolean {
  // `-m module`, `-c program`, also behind letters that take no value.
  if (family === 'python') return /^-[bBdEiOqsSuvx]*[mc]/.test(option);
  if (family !== 'node' && family !== 'tsx') return false;
  if (/^(-e|-p|-pe|--eval|--print|--run|--experimental-default-config-file)(=|$)/.test(option)) return true;
  const [, value = next] =
    /^(?:-r|--require|--import|--loader|--experimental-loader|--env-file|--env-file-if-exists)(?:=(.*))?$/s.exec(
      option,
    ) ?? ['', '/'];
  return !isAbsolute(value);
}
