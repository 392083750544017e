import type { ServerDefinition } from '../definition/definition';
import { knownProgram, type PackageRunner, programName } from './knownPrograms';
import { fetchedBy, mentionedRunners, programsOf } from './runChain';

/** The package runner that a command line starts, by itself or through wrappers, shells and scripts. Undefined for all else. */
export function packageRunner(command: string, args: readonly string[]): { runner: PackageRunner } | undefined {
  for (const program of programsOf(command, args)) {
    const fetched = fetchedBy(program);
    if (fetched) return { runner: fetched.runner };
  }
  return undefined;
}

/** Whether a program fetches packages or images, and runs them; whatever it is asked to do this time. */
export function isPackageProgram(command: string): boolean {
  return (knownProgram(programName(command))?.fetches.length ?? 0) > 0;
}

/**
 * Whether another program may come from a registry at each start, with settings that say the same. A version that is
 * written there changes nothing about that: it holds for the package, not for what that depends on. Fails closed: what an
 * unknown program does with a runner among its arguments can't be told, nor what a variable or a script in Base64 runs.
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
