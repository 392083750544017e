import { isAbsolute } from 'node:path';
import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { isObject, nestsTooDeeply } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible, webAddress } from '../../../base/text';
import { didYouMean, identityProvider, isHost, parseServers } from '../../../host/settings';
import { documentAddress, parseTelemetry, type TelemetrySettings } from '../../settings/core';
import { parseSources } from './packageSources';
import { parseServerRule, type RuleSet, type ServerRule } from './serverRules';

/** Who writes a file: our administrators, or another product's. `claudeCodeServers` lists all that may run. */
export type FileKind = 'own' | 'copilot' | 'claudeCode' | 'claudeCodeServers';
type OtherKind = 'copilot' | 'claudeCode';
const OTHER_KINDS: readonly unknown[] = ['copilot', 'claudeCode'] satisfies OtherKind[];

export interface ManagedFile {
  readonly rules: RuleSet;
  /** Empty in the files of other products. */
  readonly own: ManagedValues;
}

const LISTS = ['allowedMcpServers', 'deniedMcpServers'] as const;
const MAX_RULES = 10_000;
const MAX_SENTENCE = 500;

/** All about a key of our own file, but for its row in `docs/organizations.md`. */
interface Key<V> {
  /** @returns the key's value, `true` if that rules nothing, or why it is not valid */
  read(value: unknown, name: string): V | true | Phrase;
  /** The setting in which a person's choice then has no effect, or not all of it. */
  readonly fixes: `mcpHost.${string}` | undefined;
  /** Its line in *Show Organization Rules*, in which the keys have the order of this table. */
  line(value: V): Phrase | undefined;
}

const key = <V>(all: Key<V>) => all;

const noneOf = (name: string, allowed: string) => phrase('"{0}" is none of these: {1}', name, allowed);

const oneOf =
  <W extends string>(...words: readonly W[]) =>
  (value: unknown, name: string): W | Phrase =>
    words.find(word => word === value) ?? noneOf(name, words.map(word => JSON.stringify(word)).join(', '));

/** A key with `false` for what a person's settings would allow. */
const forbidding = (fixes: Key<false>['fixes'], line: Phrase) =>
  key<false>({
    read: (value, name) => (typeof value === 'boolean' ? value : noneOf(name, 'true, false')),
    fixes,
    line: () => line,
  });

export const MANAGED_KEYS = {
  /** Other products on this machine whose managed files count, too. */
  alsoRead: key({
    read: (value, name) =>
      Array.isArray(value) && value.every(kind => OTHER_KINDS.includes(kind))
        ? (value as OtherKind[])
        : noneOf(name, '["copilot", "claudeCode"]'),
    fixes: undefined,
    line: () => undefined,
  }),
  /** Which servers are confined at least, whatever settings say. */
  sandbox: key<'workspaceServers' | 'all'>({
    read: oneOf('workspaceServers', 'all'),
    fixes: 'mcpHost.sandbox',
    line: servers => phrase('Confined at least: {0}', servers),
  }),
  /** Whether changed definitions are blocked until they are accepted. */
  pins: key<'enforce'>({
    read: oneOf('enforce'),
    fixes: 'mcpHost.pins',
    line: () => phrase('Changed tools are blocked until they are accepted.'),
  }),
  alwaysAllow: forbidding('mcpHost.approvals.skipReadOnly', phrase('Each call is asked about.')),
  sampling: forbidding('mcpHost.sampling.policy', phrase('Servers get no answers of language models.')),
  codeMode: forbidding('mcpHost.chat.codeMode', phrase('Models write no scripts.')),
  shareWithAgents: forbidding('mcpHost.shareWithAgents', phrase('Servers are not shared with agents.')),
  /** Servers that everybody has, in the form of `mcpHost.servers`. */
  managedServers: key({
    read: readServers,
    fixes: undefined,
    line: servers => {
      const names = Object.keys(servers).join(', ');
      return names === '' ? undefined : phrase('Servers that everybody has: {0}', visible(names, 1_000));
    },
  }),
  /** The only hosts that remote servers may be at and confined programs may reach, in the form of `sandbox.network`. */
  allowedHosts: key({
    read: (value, name) => (isHosts(value) ? value : noneOf(name, '["name", "*.name", "name:port"]')),
    fixes: undefined,
    line: hosts => phrase('Allowed hosts, and no others: {0}', visible(hosts.join(', ') || '[]', 1_000)),
  }),
  /** The only servers whose entries may have exceptions from the checks of a sign-in. */
  signInExceptions: key({
    read: (value, name) =>
      Array.isArray(value)
        ? parseList(
            value.map(serverUrl => ({ serverUrl })),
            name,
          )
        : noneOf(name, '["https://…"]'),
    fixes: undefined,
    line: rules =>
      phrase('Servers that may have exceptions from the checks of a sign-in, and no others: {0}', textsOf(rules)),
  }),
  /** Where everybody signs in once, for all servers whose entries have the grant of that and name no other provider. */
  identityProvider: key({
    read: (value, name) => {
      const { data } = identityProvider.safeParse(value);
      return data?.issuer === undefined ? noneOf(name, '{ "issuer": "https://…", "clientId": "…" }') : data;
    },
    fixes: 'mcpHost.signIn.identityProvider',
    line: ({ issuer = '' }) => phrase('Identity provider for all servers: {0}', visible(issuer, 300)),
  }),
  /** The document by which authorization servers know the editors of the organization. */
  clientMetadataUrl: key({
    read: (value, name) => documentAddress(value) ?? noneOf(name, '"https://…/oauth-client.json"'),
    fixes: 'mcpHost.signIn.clientMetadataUrl',
    line: address => phrase('Editors are known to authorization servers by {0}', visible(address, 300)),
  }),
  /** Where packages are fetched from. Undefined: that is up to the person. */
  packageSources: key({
    read: (value, name) =>
      parseSources(value, isAddress) ??
      noneOf(name, '{ "npm": "https://…", "pypi": "https://…", "image": "registry/path" }'),
    fixes: undefined,
    line: sources => phrase('Packages come from nowhere else: {0}', visible(JSON.stringify(sources), 1_000)),
  }),
  /** Absolute path of the file that the audit log is copied to, or `syslog`. */
  auditLog: key({
    read: (value, name) => (isLog(value) ? value : phrase('"{0}" is not the whole path of a file', name)),
    fixes: undefined,
    line: place => phrase('The audit log is copied to {0}', visible(place, 300)),
  }),
  /** Where requests to servers are reported. */
  openTelemetry: key({
    read: readTelemetry,
    fixes: 'mcpHost.openTelemetry',
    line: ({ endpoint, content }) =>
      content
        ? phrase('Requests to servers, with arguments and results, are reported to {0}', endpoint)
        : phrase('Requests to servers, without arguments and results, are reported to {0}', endpoint),
  }),
  /** The address of the registry that is searched, whatever settings say. */
  registry: key({
    read: (value, name) => (isAddress(value) ? value : noneOf(name, '"https://…", "http://…"')),
    fixes: 'mcpHost.registry.url',
    line: address => phrase('Registry that is searched: {0}', address),
  }),
  /** Shown with each refusal. */
  refusal: key({ read: readRefusal, fixes: undefined, line: () => undefined }),
};

/** What our own file says beside the two lists. There is one such file, so that values of several need not be merged. */
export type ManagedValues = {
  readonly [K in keyof typeof MANAGED_KEYS]?: (typeof MANAGED_KEYS)[K] extends Key<infer V> ? V : never;
};

const KEYS: readonly (readonly [string, Key<unknown>])[] = Object.entries(MANAGED_KEYS);

export const fixedSettings = (own: ManagedValues): readonly string[] =>
  KEYS.flatMap(([name, { fixes }]) => (name in own && fixes ? [fixes] : []));

const textsOf = (list: readonly ServerRule[]) => list.map(({ text }) => text).join(', ') || '[]';

export function fileLines({ rules: { allowed, denied }, own }: ManagedFile): Phrase[] {
  const values: Readonly<Record<string, unknown>> = own;
  return [
    ...(denied.length > 0 ? [phrase('Denied: {0}', textsOf(denied))] : []),
    allowed ? phrase('Allowed, and nothing else: {0}', textsOf(allowed)) : phrase('Allowed: whatever is not denied'),
    ...KEYS.flatMap(([name, { line }]) => (name in own ? (line(values[name]) ?? []) : [])),
  ];
}

/** Reads a managed file. Never throws. @returns why nothing of it can be relied on, or what it says. */
export function parseManagedFile(text: string, source: string, kind: FileKind): ManagedFile | Phrase {
  const root = treeOf(text);
  const value: unknown = root && getNodeValue(root);
  if (!root || !isObject(value)) return phrase('it is not valid JSON with an object in it');
  const twice = repeated(root);
  if (twice !== undefined) return phrase('it says "{0}" twice', visible(twice, 60));
  if (kind === 'claudeCodeServers') {
    const allowed = parseDeployed(value.mcpServers);
    return Array.isArray(allowed) ? { rules: { source, allowed, denied: [] }, own: {} } : allowed;
  }
  const lists: { [L in (typeof LISTS)[number]]?: ServerRule[] } = {};
  for (const list of LISTS) {
    if (value[list] === undefined) continue;
    const rules = parseList(value[list], list);
    if (!Array.isArray(rules)) return rules;
    lists[list] = rules;
  }
  const rules: RuleSet = { source, allowed: lists.allowedMcpServers, denied: lists.deniedMcpServers ?? [] };
  const own = kind === 'own' ? parseOwn(value) : {};
  return isPhrase(own) ? own : { rules, own };
}

function parseOwn({ $schema: _, ...value }: Readonly<Record<string, unknown>>): ManagedValues | Phrase {
  const known = ['$schema', ...LISTS, ...KEYS.map(([name]) => name)];
  const unknown = Object.keys(value).find(name => !known.includes(name));
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, known);
    return meant
      ? phrase('"{0}" is not known to this version; did you mean "{1}"?', visible(unknown, 60), meant)
      : phrase('"{0}" is not known to this version', visible(unknown, 60));
  }
  const own: Record<string, unknown> = {};
  for (const [name, { read }] of KEYS) {
    if (value[name] === undefined) continue;
    const said = read(value[name], name);
    if (isPhrase(said)) return said;
    if (said !== true) own[name] = said;
  }
  return own;
}

const isPhrase = (value: unknown): value is Phrase =>
  isObject(value) && typeof value.text === 'string' && Array.isArray(value.values);

/** Undefined: it is no JSON, or deeper than any rules are: what reads it calls itself for each level. */
function treeOf(text: string): Node | undefined {
  if (nestsTooDeeply(text)) return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(text.replace(/^\ufeff/, ''), errors, { disallowComments: true });
  return errors.length === 0 ? root : undefined;
}

/** Everybody would get a server that does not start. */
function readServers(value: unknown, key: string): Readonly<Record<string, unknown>> | Phrase {
  const { servers, problems } = parseServers(value);
  const found = [
    ...problems.map(problem => ({ name: key, problem })),
    ...servers.flatMap(({ name, problems }) => problems.map(problem => ({ name, problem }))),
  ].find(({ problem }) => problem.severity === 'error');
  if (found) return phrase('"{0}": {1}', visible(found.name, 60), found.problem.message);
  return isObject(value) ? value : {};
}

function readTelemetry(value: unknown, key: string): TelemetrySettings | Phrase {
  const said = parseTelemetry(value);
  if (!isPhrase(said) && Object.values(said.headers).some(text => text.includes('${input:')))
    return phrase('"{0}" takes only these variables: {1}', `${key}.headers`, '${env:NAME}');
  return said;
}

/** Windows has no log of that kind. */
const isLog = (value: unknown): value is string =>
  typeof value === 'string' && (value === 'syslog' ? process.platform !== 'win32' : isAbsolute(value));

const isHosts = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= MAX_RULES &&
  value.every(text => typeof text === 'string' && !text.includes('${') && isHost(text));

const isAddress = (value: unknown): value is string => webAddress(value) !== undefined;

function readRefusal(value: unknown, key: string): { readonly text?: string; readonly link?: string } | Phrase {
  const { text, link, ...others } = isObject(value) ? value : { wrong: value };
  const isSentence = text === undefined || (typeof text === 'string' && text.length <= MAX_SENTENCE);
  const isLink =
    link === undefined || (typeof link === 'string' && /^https:\/\/[^\s]+$/.test(link) && URL.canParse(link));
  if (!isSentence || !isLink || Object.keys(others).length > 0)
    return noneOf(key, '{ "text": "…", "link": "https://…" }');
  return { ...(text !== undefined && { text }), ...(link !== undefined && { link }) };
}

function parseList(value: unknown, key: string): ServerRule[] | Phrase {
  if (!Array.isArray(value) || value.length > MAX_RULES)
    return phrase('"{0}" is not a list of at most {1} rules', key, MAX_RULES);
  const rules = value.map(parseServerRule);
  const at = rules.findIndex(isPhrase);
  return at < 0 ? (rules as ServerRule[]) : phrase('rule {0} of "{1}": {2}', at + 1, key, rules[at] as Phrase);
}

/** A key that stands twice in an object: which of them counts would be a guess. */
function repeated({ type, children = [] }: Node): string | undefined {
  const keys = new Set<string>();
  for (const child of children) {
    const [key] = child.children ?? [];
    if (type === 'object' && key) {
      if (keys.has(key.value)) return key.value;
      keys.add(key.value);
    }
    const inner = repeated(child);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/**
 * Reads the servers of a `managed-mcp.json` as rules: exactly these commands and addresses. Variables of the other product are not
 * filled in, as the person may set them, so that a server with any is not allowed here.
 * @returns why they can't be relied on, or the rules.
 */
function parseDeployed(servers: unknown): ServerRule[] | Phrase {
  if (!isObject(servers)) return phrase('"{0}" is no list of servers', 'mcpServers');
  const rules: ServerRule[] = [];
  for (const [name, server] of Object.entries(servers)) {
    const rule = deployed(server);
    if (!rule || 'values' in rule) return phrase('its server "{0}" has neither a command nor an address', name);
    rules.push(rule);
  }
  return rules;
}

function deployed(server: unknown): ServerRule | Phrase | undefined {
  if (!isObject(server)) return undefined;
  const { command, args = [], url } = server;
  if (url !== undefined && command === undefined) {
    // No wildcard: it is an address, not a rule.
    return typeof url === 'string' && url.includes('*') ? undefined : parseServerRule({ serverUrl: url });
  }
  if (url !== undefined || !Array.isArray(args)) return undefined;
  return parseServerRule({ serverCommand: [command, ...args] });
}
