import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { parseUrl, visible } from '../../../base/text';
import type { ServerDefinition } from '../../../host/definition';
import { powerOf } from '../../../host/launch';
import { type ServerEntry, socketOf } from '../../../host/settings';
import { allowsCommand, type CommandLine, deniesCommand } from './commandRule';
import { allowsUrl, deniesUrl, parseUrlRule, type UrlRule } from './urlRule';

/** An item of `allowedMcpServers` or `deniedMcpServers`. */
export type ServerRule = { readonly text: string } & (
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'url'; readonly url: UrlRule | string }
  | { readonly kind: 'command'; readonly command: CommandLine }
);

/** The lists of one file. */
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
  for (const { source, denied: rules } of sets) {
    const rule = rules.find(one => denies(one, launch));
    if (!rule) continue;
    const denied = phrase('your organization denies it by the rule {0} in {1}', rule.text, source);
    // Another list that does not allow it is named at once: who mends only the denial would be refused again.
    const other = isWhole
      ? notAllowedByAny(
          sets.filter(set => set.source !== source),
          launch,
        )
      : undefined;
    return other ? phrase('{0}; also, {1}', denied, other) : denied;
  }
  return isWhole ? notAllowedByAny(sets, launch) : undefined;
}

function notAllowedByAny(sets: readonly RuleSet[], launch: RuledLaunch): Phrase | undefined {
  for (const set of sets) {
    const refused = notAllowedBy(set, launch);
    if (refused) return refused;
  }
  return undefined;
}

function denies(rule: ServerRule, { name, entry }: RuledLaunch): boolean {
  if (rule.kind === 'name') return plainName(rule.name) === plainName(name);
  if (entry.type === 'stdio')
    return rule.kind === 'command' && deniesCommand(rule.command, [entry.command, ...entry.args]);
  if (rule.kind !== 'url') return false;
  if (typeof rule.url === 'string') return socketOf(rule.url)?.path === socketOf(entry.url)?.path;
  const url = parseUrl(entry.url);
  return url !== undefined && deniesUrl(rule.url, url);
}

const plainName = (name: string) => name.normalize('NFKC').trim().toLowerCase();

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
    return entry.type === 'stdio' && allowsCommand(rule.command, [entry.command, ...entry.args]);
  });
  if (!isAllowed)
    return phrase('your organization allows only servers that {0} lists, and it is not one of them', source);
  return exact.length > 0 && entry.type === 'stdio' ? changedCommand(source, entry) : undefined;
}

function isAt(rule: UrlRule | string, address: string): boolean {
  if (typeof rule === 'string') return rule === address;
  const url = parseUrl(address);
  return url !== undefined && allowsUrl(rule, url);
}

/** A command that is allowed runs something else with some variables. */
export function changedCommand(
  source: string,
  { env, envFile }: Extract<ServerEntry, { type: 'stdio' }>,
): Phrase | undefined {
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
