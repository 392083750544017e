import type { ServerDefinition } from '../definition/definition';
import { knownProgram, type PackageRunner, programName } from './knownPrograms';
import { fetchedBy, mentionedRunners, programsOf } from './runChain';

/** The package runner that a command line starts, directly or through wrappers, shells and scripts. Undefined for all else. */
export function packageRunner(command: string, args: readonly string[]): { runner: PackageRunner } | undefined {
  for (const program of programsOf(command, args)) {
    const fetched = fetchedBy(program);
    if (fetched) return { runner: fetched.runner };
  }
  return undefined;
}

/** Whether a program can fetch and run packages or images, regardless of its arguments. */
export function isPackageProgram(command: string): boolean {
  return (knownProgram(programName(command))?.fetches.length ?? 0) > 0;
}

/**
 * Whether a registry may provide a different program at each start with the same settings. A fixed version does not prevent
 * that, because the package's dependencies may change. Fails closed: unknown programs with a runner among their arguments,
 * variables and Base64 scripts count too.
 */
export function fetchesAtStart({ entry }: Pick<ServerDefinition, 'entry'>): boolean {
  if (entry?.type !== 'stdio') return false;
  const { command, args } = entry;
  return (
    packageRunner(command, args) !== undefined ||
    mentionedRunners(args).length > 0 ||
    programsOf(command, args).some(
      ({ name, words }) =>
        /[$%]/.test(name) ||
        (/^(powershell|pwsh)$/.test(name) && words.some(({ text }) => /^[-/]e(c|nc[a-z]*)?$/i.test(text))),
    )
  );
}
