import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { commandLine } from '../../../host/launch';
import type { BundleLaunch, BundleManifest } from './manifest';

type Compared = Pick<BundleManifest, 'author' | 'launch' | 'options' | 'toolNames'>;

/** How a program is started, with the variables of the manifest as they stand there. */
export function launchLine({ command, args }: BundleLaunch): string {
  const marked = (text: string) => text.replace(/\$(?=\{)/g, '\0');
  return commandLine(marked(command), args.map(marked));
}

/**
 * What a person should know of a new version of a bundle, compared with the one that is installed: who made it, what it runs and
 * asks for, which tools it names. Their files are not compared.
 */
export function manifestChanges(before: Compared, after: Compared): Phrase[] {
  const [ran, runs] = [before, after].map(({ launch }) => (launch ? launchLine(launch) : 'uv'));
  return [
    ...(before.author === after.author
      ? []
      : [phrase('Author: {0}, formerly {1}', visible(after.author, 100), visible(before.author, 100))]),
    ...(ran === runs ? [] : [phrase('Runs {0}, formerly {1}', visible(runs!, 300), visible(ran!, 300))]),
    ...differences(variables(before.launch), variables(after.launch), {
      added: names => phrase('Also sets: {0}', names),
      removed: names => phrase('No longer sets: {0}', names),
    }),
    ...differences(before.options.map(asked), after.options.map(asked), {
      added: names => phrase('Also asks for: {0}', names),
      removed: names => phrase('No longer asks for: {0}', names),
    }),
    ...differences(before.toolNames, after.toolNames, {
      added: names => phrase('New tools: {0}', names),
      removed: names => phrase('Tools that are gone: {0}', names),
    }),
  ];
}

/** Whether both versions are numbers with points, and the first is the lower one. */
export function isOlder(version: string, than: string): boolean {
  if (![version, than].every(text => /^\d+(\.\d+)*$/.test(text))) return false;
  const [one, other] = [version, than].map(text => text.split('.').map(Number)) as [number[], number[]];
  const at = other.findIndex((number, index) => number !== (one[index] ?? 0));
  return at >= 0 && (one[at] ?? 0) < other[at]!;
}

const variables = (launch: BundleLaunch | undefined) =>
  Object.entries(launch?.env ?? {}).map(([name, value]) => `${name}=${value}`);

/** With its type, because asking for a folder instead of a text is a change, too. */
const asked = ({ title, type }: BundleManifest['options'][number]) => `${title} (${type})`;

function differences(
  before: readonly string[],
  after: readonly string[],
  say: { added: (names: string) => Phrase; removed: (names: string) => Phrase },
): Phrase[] {
  const listed = (names: readonly string[], others: readonly string[]) =>
    visible(names.filter(name => !others.includes(name)).join(', '), 300);
  const [added, removed] = [listed(after, before), listed(before, after)];
  return [...(added ? [say.added(added)] : []), ...(removed ? [say.removed(removed)] : [])];
}
