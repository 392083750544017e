import { programName, programsOf } from '../../../host/launch';
import { type PackageReference, packagesOf } from '../../supply';

/** A program and its arguments. */
export type CommandLine = readonly string[];

/** Whether a rule allows a command line: word by word. A program in a folder is another than one of that name in PATH. */
export const allowsCommand = (rule: CommandLine, line: CommandLine): boolean => isSame(rule, line);

/**
 * Whether a rule denies what a command line runs: the same words, also within a shell or a wrapper, or the same package by
 * another runner or with other options. A rule without a version denies all of them, and one without arguments behind its
 * package denies it with any.
 */
export function deniesCommand(rule: CommandLine, line: CommandLine): boolean {
  const [named, ...named2] = rule;
  if (named === undefined) return false;
  const ruled = packagesOf(named, named2);
  return linesOf(line).some(([command = '', ...args]) => {
    if (isSameProgram(named, command) && isSame(named2, args)) return true;
    const run = packagesOf(command, args);
    return ruled.some(one =>
      run.some(other => isSamePackage(one, other) && isWithin(tailOf(rule, one), tailOf([command, ...args], other))),
    );
  });
}

/** The line itself, as only a part of a very long one is looked at, and what it runs. */
const linesOf = (line: CommandLine): readonly CommandLine[] => {
  const [command = '', ...args] = line;
  return [line, ...programsOf(command, args).map(({ words }) => words.map(({ text }) => text))];
};

const isSame = (one: CommandLine, other: CommandLine) =>
  one.length === other.length && one.every((word, index) => word === other[index]);

const isSameProgram = (rule: string, command: string) =>
  rule === command || (!/[\\/]/.test(rule) && programName(rule) === programName(command));

const isSamePackage = (rule: PackageReference, run: PackageReference) =>
  rule.ecosystem === run.ecosystem &&
  nameOf(rule) === nameOf(run) &&
  (versionOf(rule) === '' || versionOf(rule) === versionOf(run));

/** PyPI takes `_`, `.` and `-` for the same. */
const nameOf = ({ ecosystem, name }: PackageReference) =>
  ecosystem === 'pypi' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name.toLowerCase();

const versionOf = ({ version }: PackageReference) => (version === 'latest' ? '' : version);

/** The arguments behind a package. */
const tailOf = (line: CommandLine, { place }: PackageReference) => line.slice(place.argument + 2);

const isWithin = (rule: CommandLine, run: CommandLine) => rule.length === 0 || isSame(rule, run);
