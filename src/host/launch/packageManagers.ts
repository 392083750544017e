import { ecosystemOf } from './knownPrograms';
import { behind, fetchedBy, mentionedRunners, programsOf, type RunProgram } from './runChain';

const isAbsolute = (path: string) => /^([/\\]|[A-Za-z]:[/\\]|(file|data|node):)/.test(path);

/**
 * Whether what a command line runs is decided by what lies in the folder that it runs in. So it is with package managers and
 * what is installed for a project; with modules that are looked for by their name, as `python -m server`; and with a script
 * from elsewhere whose interpreter reads settings of the folder, such as `tsconfig.json`. So it may be with a program that is
 * told only at launch, or that is not known and mentions a package runner.
 */
export function runsWhatItFinds(command: string, args: readonly string[]): boolean {
  const programs = programsOf(command, args);
  if (command.includes('${input:') || programs.some(finds)) return true;
  // What these run does not see the folder.
  if (programs.some(({ known }) => known?.kind === 'elsewhere')) return false;
  return mentionedRunners(args).some(runner => ecosystemOf(runner) !== 'image');
}

/** Whether this program, called so, looks for what it is to run. */
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
    // A relative path is one of the folder's own, which is what the person means then.
    if (!text.startsWith('-')) return reads !== undefined && isAbsolute(text);
    if (looks(family, text, next)) return true;
    if (known.values.has(text)) index++;
  }
  return false;
}

/** Whether it looks for a module or a file in its folder because of this option. */
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
