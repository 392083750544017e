import type { ServerDefinition } from '../definition/definition';
import { installedPrograms } from './installedProgram';
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

type Launched = Pick<ServerDefinition, 'entry'>;

/** Whether a package runner is found in its command line, and with it a package that can be named. */
export const runsPackage = ({ entry }: Launched): boolean =>
  entry?.type === 'stdio' && packageRunner(entry.command, entry.args) !== undefined;

/** Whether its command line names a package manager that installs something, or may: it gets the variables for these. */
export function namesInstaller({ entry }: Launched): boolean {
  if (entry?.type !== 'stdio') return false;
  const { command, args } = entry;
  const [, ...inner] = programsOf(command, args);
  return (
    runsPackage({ entry }) ||
    mentionedRunners(args).length > 0 ||
    inner.some(({ known }) => known?.kind === 'manager' && known.fetches.length > 0)
  );
}

/**
 * Whether the same settings may run a different program at each start, because something fetches it. A fixed version does not
 * prevent that, because the package's dependencies may change. Fails closed: only a command line that is understood as a whole,
 * and that runs what is installed, does not count.
 */
export function fetchesAtStart({ entry }: Launched): boolean {
  if (entry?.type !== 'stdio') return false;
  const { command, args } = entry;
  return installedPrograms(command, args) === undefined || mentionedRunners(args).length > 0;
}
