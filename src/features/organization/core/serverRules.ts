import { isObject } from '../../../base/json';
import { normalized } from '../../../base/normalized';
import { type Phrase, phrase } from '../../../base/phrase';
import { matches, parseUrl, visible } from '../../../base/text';
import type { ServerDefinition } from '../../../host/definition';
import { powerOf } from '../../../host/launch';
import { type ProgramEntry, type ServerEntry, socketOf } from '../../../host/settings';
import { packagesOf } from '../../supply/core';
import { LaunchTexts } from './launchTexts';
import { allowsUrl, deniesUrl, isSameSocket, parseUrlRule, type UrlRule } from './urlRule';

/** An item of `allowedMcpServers` or `deniedMcpServers`. */
export type ServerRule = { readonly text: string } & (
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'url'; readonly url: UrlRule | string }
  | { readonly kind: 'command'; readonly command: CommandLine }
);

export interface RuleSet {
  /** The path of the file. */
  readonly source: string;
  /** Undefined: what is not denied may run. */
  readonly allowed: readonly ServerRule[] | undefined;
  readonly denied: readonly ServerRule[];
}

/** What is launched, with values of variables filled in and absolute paths. */
export interface RuledLaunch extends Pick<ServerDefinition, 'name'> {
  readonly entry: ServerEntry;
}

const MAX_TEXT = 10_000;
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT;

/** Reads an item of a list. @returns why it is none, or the rule. */
export function parseServerRule(value: unknown): ServerRule | Phrase {
  const [key, ...others] = isObject(value) ? Object.keys(value) : [];
  if (!isObject(value) || key === undefined || others.length > 0)
    return phrase('a rule is an object with one of "serverName", "serverUrl" and "serverCommand"');
  const said = value[key];
  const text = visible(JSON.stringify(value), 200);
  switch (key) {
    case 'serverName':
      return isText(said) ? { kind: 'name', name: said, text } : phrase('"{0}" is a text', key);
    case 'serverUrl': {
      if (!isText(said)) return phrase('"{0}" is a text', key);
      const url = socketOf(said) ? said : parseUrlRule(said);
      return typeof url === 'object' && 'values' in url ? url : { kind: 'url', url, text };
    }
    case 'serverCommand':
      return Array.isArray(said) && said.length > 0 && said.every(word => typeof word === 'string') && isText(said[0])
        ? { kind: 'command', command: said, text }
        : phrase('"{0}" is a list of the program and its arguments', key);
    default:
      return phrase('"{0}" is not known', visible(key, 60));
  }
}

/**
 * Why rules refuse a launch, as it completes "could not start: ". Denials come first; then each list of what is allowed has to
 * allow it. Undefined: none refuses it.
 * @param isWhole whether inputs are filled in. If they are not, only denials count: the rest may still change.
 */
export function refusalBy(sets: readonly RuleSet[], launch: RuledLaunch, isWhole = true): Phrase | undefined {
  const { entry } = launch;
  const texts = entry.type === 'stdio' && sets.some(set => set.denied.length > 0) ? new LaunchTexts(entry) : undefined;
  for (const { source, denied: rules } of sets) {
    const rule = rules.find(one => denies(one, launch, texts));
    if (!rule) continue;
    const denied = phrase('your organization denies it by the rule {0} in {1}', rule.text, source);
    // Another list that does not allow it is named at once: who mends only the denial would be refused again.
    const others = sets.filter(set => set.source !== source);
    const other = isWhole ? notAllowedByAny(others, launch) : undefined;
    return other ? phrase('{0}; also, {1}', denied, other) : denied;
  }
  return isWhole ? ((texts && hiddenFrom(sets, launch, texts)) ?? notAllowedByAny(sets, launch)) : undefined;
}

/** Why denials can't be checked. A command that an administrator has listed word by word needs no check. */
function hiddenFrom(
  sets: readonly RuleSet[],
  { entry }: RuledLaunch,
  { unknownPart }: LaunchTexts,
): Phrase | undefined {
  const denying = sets.find(({ denied }) => denied.some(({ kind }) => kind !== 'name'));
  if (!unknownPart || !denying || sets.some(({ allowed = [] }) => allowed.some(rule => lists(rule, entry))))
    return undefined;
  return phrase(
    'your organization denies some servers in {0}, and it cannot be told whether this is one of them: {1} has a meaning only when the command runs. Start the program directly, with everything written out',
    denying.source,
    visible(unknownPart.cannotBeTold, 80),
  );
}

const notAllowedByAny = (sets: readonly RuleSet[], launch: RuledLaunch): Phrase | undefined =>
  sets.flatMap(set => notAllowedBy(set, launch) ?? [])[0];

function denies(rule: ServerRule, { name, entry }: RuledLaunch, texts: LaunchTexts | undefined): boolean {
  if (rule.kind === 'name') return plainName(rule.name) === plainName(name);
  if (rule.kind === 'command') return texts?.mayRun(rule.command) ?? false;
  // A program that is told an address may connect to it, as `mcp-remote` does.
  if (texts || entry.type === 'stdio') return texts?.mayReach(rule.url) ?? false;
  if (typeof rule.url === 'string') return isSameSocket(rule.url, entry.url);
  const url = parseUrl(entry.url);
  return url !== undefined && deniesUrl(rule.url, url);
}

const plainName = (name: string) => normalized(name, 'NFKC').trim().toLowerCase();

/**
 * As soon as a list names a command, programs have to be one of its commands, and as soon as it names an address, remote servers
 * have to be at one of its addresses. Otherwise their names count.
 */
function notAllowedBy({ source, allowed }: RuleSet, { name, entry }: RuledLaunch): Phrase | undefined {
  if (!allowed) return undefined;
  const kind = entry.type === 'stdio' ? 'command' : 'url';
  const exact = allowed.filter(rule => rule.kind === kind);
  const isAllowed = (exact.length > 0 ? exact : allowed).some(rule => {
    if (rule.kind === 'name') return rule.name === name;
    if (rule.kind === 'url') return entry.type !== 'stdio' && isAt(rule.url, entry.url);
    return lists(rule, entry);
  });
  if (!isAllowed)
    return phrase('your organization allows only servers that {0} lists, and it is not one of them', source);
  return exact.length > 0 && entry.type === 'stdio' ? changedCommand(source, entry) : undefined;
}

/** Word by word: `./tool` in a folder is not the `tool` in PATH. */
const lists = (rule: ServerRule, entry: ServerEntry): boolean =>
  rule.kind === 'command' && entry.type === 'stdio' && isSame(rule.command, [entry.command, ...entry.args]);

/** Whether a remote server is at an address that a list names. */
export const isAtAny = (rules: readonly ServerRule[], address: string): boolean =>
  rules.some(rule => rule.kind === 'url' && isAt(rule.url, address));

function isAt(rule: UrlRule | string, address: string): boolean {
  if (typeof rule === 'string') return rule === address;
  const url = parseUrl(address);
  return url !== undefined && allowsUrl(rule, url);
}

/** A command that is allowed runs something else with some variables. */
export function changedCommand(source: string, { env, envFile, dev }: ProgramEntry): Phrase | undefined {
  if (typeof dev?.debug === 'object' && Object.keys(dev.debug).length > 1)
    return phrase(
      'your organization allows its command in {0}, but not with settings in "dev.debug", which can start programs',
      source,
    );
  if (envFile !== undefined)
    return phrase('your organization allows its command in {0}, but not with variables from an "envFile"', source);
  const variable = Object.keys(env).find(name => powerOf(name) !== undefined);
  if (variable === undefined) return undefined;
  return phrase(
    'your organization allows its command in {0}, but not with the variable {1}, which can change what it runs',
    source,
    visible(variable, 60),
  );
}

type CommandLine = readonly string[];

const isSame = (one: CommandLine, other: CommandLine) =>
  one.length === other.length && one.every((word, index) => word === other[index]);

/** A way to run a server that a registry lists, as a settings entry: with `${input:…}` for what a person fills in. */
export type ListedLaunch = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

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
