import type { PackageRunner } from './knownPrograms';
import { behind, fetchedBy, mentionedRunners, programsOf, type RunProgram } from './runChain';

const isContainer = (runner: PackageRunner) => /^(docker|podman) /.test(runner);
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
  return mentionedRunners(args).some(runner => !isContainer(runner));
}

/** Whether this program, called so, looks for what it is to run. */
function finds(program: RunProgram): boolean {
  const {
    name,
    known,
    words: [, ...words],
  } = program;
  if (!known) return false;
  const { kind, wraps, reads } = known;
  if (kind === 'manager' || (kind === 'wrapper' && reads !== undefined)) return true;
  if (kind !== 'interpreter') return false;
  if (fetchedBy(program) || (wraps !== undefined && behind(words, wraps))) return true;
  for (let index = 0; index < words.length; index++) {
    const { text } = words[index]!;
    const next = words[index + 1]?.text ?? '';
    // A relative path is one of the folder's own, which is what the person means then.
    if (!text.startsWith('-')) return reads !== undefined && isAbsolute(text);
    if (looks(name, text, next)) return true;
    if (known.values.has(text)) index++;
  }
  return false;
}

/** Whether it looks for a module or a file in its folder because of this option. */
function looks(name: string, option: string, next: string): boolean {
  // `-m module`, `-c program`, also behind letters that take no value.
  if (/^(i?python|pypy|py)/.test(name)) return /^-[bBdEiOqsSuvx]*[mc]/.test(option);
  if (!/^(node|ts|vite-node|babel-node|jiti)/.test(name)) return false;
  if (/^(-e|-p|-pe|--eval|--print|--run|--experimental-default-config-file)(=|$)/.test(option)) return true;
  const [, value = next] =
    /^(?:-r|--require|--import|--loader|--experimental-loader|--env-file|--env-file-if-exists)(?:=(.*))?$/s.exec(
      option,
    ) ?? ['', '/'];
  return !isAbsolute(value);
}
