import { type Phrase, phrase } from '../../../base/phrase';
import { matches, parseUrl } from '../../../base/text';
import type { ServerEntry } from '../../../host/settings';
import { packagesOf } from '../../supply';
import type { CommandLine } from './commandRule';
import { changedCommand, type RuledLaunch } from './serverRules';
import { allowsUrl, parseUrlRule } from './urlRule';

/** A way to run a server that a registry lists, as a settings entry: with `${input:…}` for what a person fills in. */
export type ListedLaunch = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

/** The registry whose servers may run. */
export interface ListingRegistry {
  /** Undefined: neither the editor nor the managed file names one. */
  readonly address: string | undefined;
  /** What it lists, or why that is not known. */
  readonly listed: readonly ListedLaunch[] | Phrase;
}

/** Why a launch is none that the registry lists. @param isWhole whether inputs are filled in: before, it can't be told */
export function notListed(
  { address, listed }: ListingRegistry,
  { entry }: Pick<RuledLaunch, 'entry'>,
  isWhole: boolean,
): Phrase | undefined {
  if (address === undefined)
    return phrase(
      '"chat.mcp.access" of the editor allows only servers of its registry, and neither "chat.mcp.gallery.serviceUrl" nor your organization names one',
    );
  if ('text' in listed)
    return phrase(
      '"chat.mcp.access" of the editor allows only servers of its registry, and {0} could not be asked: {1}',
      address,
      listed,
    );
  if (!isWhole) return undefined;
  if (!listed.some(one => isListed(one, entry)))
    return phrase(
      '"chat.mcp.access" of the editor allows only servers of its registry, and {0} lists none with this command or address',
      address,
    );
  return entry.type === 'stdio' ? changedCommand(address, entry) : undefined;
}

function isListed(listed: ListedLaunch, entry: ServerEntry): boolean {
  if ('url' in listed) return entry.type !== 'stdio' && isAtListed(listed.url, entry.url);
  if (entry.type !== 'stdio' || entry.command !== listed.command || entry.args.length !== listed.args.length)
    return false;
  const isSame = listed.args.every((word, index) => fits(word, entry.args[index]!));
  // What a person fills in before the package may be another one.
  return isSame && packageNames(listed) === packageNames(entry);
}

const INPUT = /\$\{input:[^}]*\}/g;

const packageNames = ({ command, args }: { readonly command: string; readonly args: CommandLine }) =>
  JSON.stringify(packagesOf(command, args).map(({ ecosystem, name, version }) => [ecosystem, name, version]));

/** A `*` of the registry's own stands for itself, so that nothing else fits in its place. */
function fits(listed: string, word: string): boolean {
  const parts = listed.split(INPUT);
  if (parts.length === 1 || listed.includes('*')) return listed === word;
  return matches(parts.join('*'), word);
}

function isAtListed(listed: string, address: string): boolean {
  if (listed.includes('*')) return false;
  const rule = parseUrlRule(listed.replace(INPUT, '*'));
  const url = parseUrl(address);
  return url !== undefined && !('values' in rule) && rule.host !== '*' && allowsUrl(rule, url);
}
