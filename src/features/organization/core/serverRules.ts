import { isObject } from '../../../base/json';
import { isAmong, isLoopback, literalOf } from '../../../base/networkAddress';
import { type Phrase, phrase } from '../../../base/phrase';
import { matches, parseUrl, percentDecoded, visible } from '../../../base/text';
import type { ServerDefinition } from '../../../host/definition';
import { powerOf, programName, programsOf } from '../../../host/launch';
import { type ProgramEntry, type ServerEntry, socketOf } from '../../../host/settings';
import { type NamedPackage, namesOfPackages, packagesOf } from '../../supply';

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
  for (const { source, denied: rules } of sets) {
    const rule = rules.find(one => denies(one, launch));
    if (!rule) continue;
    const denied = phrase('your organization denies it by the rule {0} in {1}', rule.text, source);
    // Another list that does not allow it is named at once: who mends only the denial would be refused again.
    const others = sets.filter(set => set.source !== source);
    const other = isWhole ? notAllowedByAny(others, launch) : undefined;
    return other ? phrase('{0}; also, {1}', denied, other) : denied;
  }
  return isWhole ? notAllowedByAny(sets, launch) : undefined;
}

const notAllowedByAny = (sets: readonly RuleSet[], launch: RuledLaunch): Phrase | undefined =>
  sets.flatMap(set => notAllowedBy(set, launch) ?? [])[0];

function denies(rule: ServerRule, { name, entry }: RuledLaunch): boolean {
  if (rule.kind === 'name') return plainName(rule.name) === plainName(name);
  if (rule.kind === 'command')
    return entry.type === 'stdio' && deniesCommand(rule.command, [entry.command, ...entry.args]);
  // A program that is told an address may connect to it, as `mcp-remote` does.
  const addresses = entry.type === 'stdio' ? entry.args.flatMap(arg => arg.match(ADDRESS) ?? []) : [entry.url];
  return addresses.some(address => deniesAddress(rule.url, address));
}

const ADDRESS = /\bhttps?:[^\s'"`]+/gi;

function deniesAddress(rule: UrlRule | string, address: string): boolean {
  if (typeof rule === 'string') return socketOf(rule)?.path === socketOf(address)?.path;
  const url = parseUrl(address);
  return url !== undefined && deniesUrl(rule, url);
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
    // Word by word: `./tool` in a folder is not the `tool` in PATH.
    return entry.type === 'stdio' && isSame(rule.command, [entry.command, ...entry.args]);
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
export function changedCommand(source: string, { env, envFile }: ProgramEntry): Phrase | undefined {
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

/**
 * Whether a rule denies what a command line runs: the same words, also within a shell or a wrapper, or the same package in
 * whichever way the line names it. A rule without a version denies all of them, and one without arguments behind its package
 * denies it with any.
 */
export function deniesCommand(rule: CommandLine, line: CommandLine): boolean {
  const [named, ...named2] = rule;
  if (named === undefined) return false;
  const ruled = packagesOf(named, named2);
  return linesOf(line).some(([command = '', ...args]) => {
    if (isSameProgram(named, command) && isSame(named2, args)) return true;
    if (ruled.length === 0) return false;
    const run = namesOfPackages(command, args);
    return ruled.some(one => {
      const tail = rule.slice(one.place.argument + 2);
      return run.some(
        other => isSamePackage(one, other) && (tail.length === 0 || isSame(tail, args.slice(other.argument + 1))),
      );
    });
  });
}

/** The line itself, as only a part of a very long one is looked at, and what it runs; an argument may be a line of its own. */
const linesOf = (line: CommandLine): readonly CommandLine[] => {
  const [command = '', ...args] = line;
  const inner = args.filter(arg => /\s/.test(arg)).flatMap(arg => programsOf('sh', ['-c', arg]));
  return [line, ...[...programsOf(command, args), ...inner].map(({ words }) => words.map(({ text }) => text))];
};

const isSame = (one: CommandLine, other: CommandLine) =>
  one.length === other.length && one.every((word, index) => word === other[index]);

const isSameProgram = (rule: string, command: string) =>
  rule === command || (!/[\\/]/.test(rule) && programName(rule) === programName(command));

type Ruled = Pick<NamedPackage, 'name' | 'version'> & { readonly ecosystem: 'npm' | 'pypi' | 'image' };

const isSamePackage = (rule: Ruled, run: NamedPackage) =>
  (run.ecosystem ?? rule.ecosystem) === rule.ecosystem &&
  nameOf(rule, rule.name) === nameOf(rule, run.name) &&
  (versionOf(rule) === '' || versionOf(rule) === versionOf(run));

/** One of the spellings that a registry takes for the same. */
function nameOf({ ecosystem }: Ruled, name: string): string {
  const lower = name.toLowerCase();
  if (ecosystem === 'pypi') return lower.replace(/[-_.]+/g, '-');
  return ecosystem === 'image'
    ? lower.replace(/^((index|registry-1)\.)?docker\.io\//, '').replace(/^library\//, '')
    : lower;
}

const versionOf = ({ version }: Pick<NamedPackage, 'version'>) => (version === 'latest' ? '' : version);

/** A `serverUrl` of a rule, in the form of the URL parser: names in lower case and in ASCII. */
interface UrlRule {
  /** `http:`, `https:` or `*`. */
  readonly protocol: string;
  /** A name or an address; `*.` and a name: every name below it; `*`: any. */
  readonly host: string;
  /** Digits; `*`: any; empty: the default port. */
  readonly port: string;
  /** Path and query. `*` stands for any characters. */
  readonly path: string;
}

/** The parts of an address that may hold `*`, which the URL parser does not take everywhere. */
const PARTS = /^(\*|https?):\/\/([^/?#]*)([^#]*)$/i;
const AUTHORITY = /^(.*?)(?::(\*|\d{1,5}))?$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Reads a `serverUrl`. `*` alone means every address. @returns why it is none, or the rule. */
export function parseUrlRule(text: string): UrlRule | Phrase {
  if (text === '*') return { protocol: '*', host: '*', port: '*', path: '*' };
  const [, scheme, authority = '', rest = ''] = PARTS.exec(text) ?? [];
  if (scheme === undefined) return phrase('it is not an address that begins with http:// or https:// and has no "#"');
  if (authority.includes('@')) return phrase('it contains a user name or password');
  const [, name = '', port = ''] = AUTHORITY.exec(authority) ?? [];
  const host = hostOf(name);
  if (host === undefined)
    return phrase('"*" in a host stands for the whole host or for everything before its first dot');
  if (Number(port) > 65_535) return phrase('its port does not exist');
  const path = new URL(`http://host${rest}`);
  return { protocol: scheme === '*' ? '*' : `${scheme.toLowerCase()}:`, host, port, path: path.pathname + path.search };
}

function hostOf(text: string): string | undefined {
  if (text === '*') return '*';
  const [, wildcard = '', name = ''] = /^(\*\.)?(.+)$/.exec(text) ?? [];
  if (name === '' || name.includes('*') || !URL.canParse(`http://${name}/`)) return undefined;
  return wildcard + withoutDot(new URL(`http://${name}/`).hostname);
}

const withoutDot = (hostname: string) => hostname.replace(/\.$/, '');

/** Whether a rule allows an address. What a server may read in another way than this program is not allowed. */
export function allowsUrl(rule: UrlRule, url: URL): boolean {
  if (url.username || url.password || !isPlace(rule, url) || !isHost(rule, url)) return false;
  const path = url.pathname + url.search;
  // An encoded separator may lead out of the folder in which `*` is meant to stay.
  return path === rule.path || (!/%(2f|5c)/i.test(url.pathname) && matches(rule.path, path));
}

/**
 * Whether a rule denies an address, in whichever way it is written. What the rule leaves out is any: a rule without a port denies
 * all, and one with a path all below it.
 */
export function deniesUrl(rule: UrlRule, url: URL): boolean {
  if (!isPlace({ ...rule, port: rule.port || '*' }, url) || !(isHost(rule, url) || leadsTo(rule, url))) return false;
  const below = rule.path.endsWith('/') ? `${rule.path}*` : `${rule.path}/*`;
  return [rule.path, below].some(wanted =>
    [url.pathname + url.search, url.pathname, `${url.pathname}/`].some(
      path => matches(wanted, path) || matches(plainPath(wanted), plainPath(path)),
    ),
  );
}

function isPlace({ protocol, port }: UrlRule, url: URL): boolean {
  const usual = DEFAULT_PORTS[url.protocol];
  if (usual === undefined || (protocol !== '*' && protocol !== url.protocol)) return false;
  return port === '*' || Number(port || usual) === Number(url.port || usual);
}

function isHost({ host }: UrlRule, url: URL): boolean {
  const name = withoutDot(url.hostname);
  if (host.startsWith('*.')) return name.endsWith(host.slice(1)) && name.length >= host.length;
  return host === '*' || host === name;
}

/** Whether both are one IP address in different forms, as `[::ffff:10.0.0.1]`, or names of this machine. */
function leadsTo({ host }: UrlRule, url: URL): boolean {
  const wanted = { hostname: host };
  const [one, other] = [literalOf(wanted), literalOf(url)];
  if (one !== undefined && other !== undefined && isAmong(other, [one])) return true;
  return isLoopback(wanted) && isLoopback({ hostname: withoutDot(url.hostname) });
}

/** One spelling of paths that most servers take for the same. */
function plainPath(path: string): string {
  const plain = percentDecoded(path).toLowerCase().replace(/\/+/g, '/');
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain;
}

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
