import { isAbsolute } from 'node:path';
import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { parseUrl, visible } from '../../../base/text';
import { didYouMean, isHost, parseServers } from '../../../host/settings';
import { parseTelemetry, type TelemetrySettings } from '../../telemetry';
import type { Forbidden } from '../../trust';
import { type PackageSources, parseSources } from './packageSources';
import { parseServerRule, type RuleSet, type ServerRule } from './serverRules';

/**
 * Who writes a file: this extension's administrators, or those of another product with the same two lists. `claudeCodeServers` is a
 * file with the servers that are all that may run.
 */
export type FileKind = 'own' | 'copilot' | 'claudeCode' | 'claudeCodeServers';
const OTHER_KINDS = ['copilot', 'claudeCode'] as const satisfies readonly FileKind[];

/** What a managed file says. */
export interface ManagedSettings {
  readonly rules: RuleSet;
  /** Other products on this machine whose managed files count, too. */
  readonly alsoRead: readonly (typeof OTHER_KINDS)[number][];
  /** Which servers are confined at least, whatever settings say. */
  readonly sandbox?: 'workspaceServers' | 'all';
  /** Whether changed definitions are blocked until they are accepted. */
  readonly enforcesPins: boolean;
  readonly forbids: readonly Forbidden[];
  /** Servers that everybody has, in the form of `mcpHost.servers`. */
  readonly servers?: Readonly<Record<string, unknown>>;
  /** The only hosts that remote servers may be at and confined programs may reach, in the form of `sandbox.network`. */
  readonly allowedHosts?: readonly string[];
  /** Where packages are fetched from. Undefined: that is up to the person. */
  readonly packageSources?: PackageSources;
  /** Absolute path of the file that the audit log is copied to, or `syslog`. */
  readonly auditLog?: string;
  /** Where requests to servers are reported. */
  readonly openTelemetry?: TelemetrySettings;
  /** The address of the registry that is searched, whatever settings say. */
  readonly registry?: string;
  /** Shown with each refusal. */
  readonly refusal?: { readonly text?: string; readonly link?: string };
}

/** What a managed file can forbid, each by its name and `false`. */
export const FORBIDDABLE = [
  'alwaysAllow',
  'sampling',
  'codeMode',
  'shareWithAgents',
] as const satisfies readonly Forbidden[];

const KEYS = [
  '$schema',
  'allowedMcpServers',
  'deniedMcpServers',
  'alsoRead',
  'sandbox',
  'pins',
  ...FORBIDDABLE,
  'managedServers',
  'allowedHosts',
  'packageSources',
  'auditLog',
  'openTelemetry',
  'registry',
  'refusal',
];
const MAX_RULES = 10_000;
const MAX_SENTENCE = 500;
const MAX_ADDRESS = 1_000;
const SOURCES = '{ "npm": "https://…", "pypi": "https://…", "image": "registry/path" }';

/** Reads a managed file. Never throws. @returns why nothing of it can be relied on, or what it says. */
export function parseManagedFile(text: string, source: string, kind: FileKind): ManagedSettings | Phrase {
  const root = treeOf(text);
  const value: unknown = root && getNodeValue(root);
  if (!root || !isObject(value)) return phrase('it is not valid JSON with an object in it');
  const twice = repeated(root);
  if (twice !== undefined) return phrase('it says "{0}" twice', visible(twice, 60));
  if (kind === 'claudeCodeServers') {
    const allowed = parseDeployed(value.mcpServers);
    return Array.isArray(allowed) ? onlyRules({ source, allowed, denied: [] }) : allowed;
  }
  const lists: Partial<Record<'allowed' | 'denied', ServerRule[]>> = {};
  for (const list of ['allowed', 'denied'] as const) {
    const key = `${list}McpServers`;
    if (value[key] === undefined) continue;
    const rules = parseList(value[key], key);
    if (!Array.isArray(rules)) return rules;
    lists[list] = rules;
  }
  const rules: RuleSet = { source, allowed: lists.allowed, denied: lists.denied ?? [] };
  if (kind !== 'own') return onlyRules(rules);
  const unknown = Object.keys(value).find(key => !KEYS.includes(key));
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, KEYS);
    return meant
      ? phrase('"{0}" is not known to this version; did you mean "{1}"?', visible(unknown, 60), meant)
      : phrase('"{0}" is not known to this version', visible(unknown, 60));
  }
  return readOthers(value, rules);
}

const onlyRules = (rules: RuleSet): ManagedSettings => ({
  rules,
  alsoRead: [],
  enforcesPins: false,
  forbids: [],
});

/** Undefined: it is no JSON, or so deep that no stack is enough for it. */
function treeOf(text: string): Node | undefined {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text.replace(/^\ufeff/, ''), errors, { disallowComments: true });
    return errors.length === 0 ? root : undefined;
  } catch {
    return undefined;
  }
}

/** What only our own file may say. */
function readOthers(
  { alsoRead = [], sandbox, pins, openTelemetry, registry, refusal, ...others }: Record<string, unknown>,
  rules: RuleSet,
): ManagedSettings | Phrase {
  const known = (one: unknown) => (OTHER_KINDS as readonly unknown[]).includes(one);
  if (!Array.isArray(alsoRead) || !alsoRead.every(known))
    return phrase('"{0}" is none of these: {1}', 'alsoRead', '["copilot", "claudeCode"]');
  if (sandbox !== undefined && sandbox !== 'workspaceServers' && sandbox !== 'all')
    return phrase('"{0}" is none of these: {1}', 'sandbox', '"workspaceServers", "all"');
  if (pins !== undefined && pins !== 'enforce') return phrase('"{0}" is none of these: {1}', 'pins', '"enforce"');
  const unclear = FORBIDDABLE.find(key => others[key] !== undefined && typeof others[key] !== 'boolean');
  if (unclear) return phrase('"{0}" is none of these: {1}', unclear, 'true, false');
  const { managedServers, allowedHosts, packageSources, auditLog } = others;
  const wrong = managedServers === undefined ? undefined : wrongServer(managedServers);
  if (wrong) return wrong;
  if (allowedHosts !== undefined && !isHosts(allowedHosts))
    return phrase('"{0}" is none of these: {1}', 'allowedHosts', '["name", "*.name", "name:port"]');
  const sources = packageSources === undefined ? undefined : parseSources(packageSources, isAddress);
  if (packageSources !== undefined && !sources) return phrase('"{0}" is none of these: {1}', 'packageSources', SOURCES);
  if (auditLog !== undefined && !isLog(auditLog)) return phrase('"{0}" is not the whole path of a file', 'auditLog');
  const reported = openTelemetry === undefined ? undefined : parseTelemetry(openTelemetry);
  if (reported && 'values' in reported) return reported;
  if (Object.values(reported?.headers ?? {}).some(text => text.includes('${input:')))
    return phrase('"{0}" takes only these variables: {1}', 'openTelemetry.headers', '${env:NAME}');
  if (registry !== undefined && !isAddress(registry))
    return phrase('"{0}" is none of these: {1}', 'registry', '"https://…", "http://…"');
  const told = parseRefusal(refusal);
  if (told && 'values' in told) return told;
  return {
    rules,
    alsoRead,
    ...(sandbox && { sandbox }),
    enforcesPins: pins === 'enforce',
    forbids: FORBIDDABLE.filter(key => others[key] === false),
    ...(isObject(managedServers) && { servers: managedServers }),
    ...(allowedHosts !== undefined && { allowedHosts }),
    ...(sources && { packageSources: sources }),
    ...(auditLog !== undefined && { auditLog }),
    ...(reported && { openTelemetry: reported }),
    ...(registry !== undefined && { registry }),
    ...(told && { refusal: told }),
  };
}

/** Everybody would get a server that does not start. */
function wrongServer(value: unknown): Phrase | undefined {
  const { servers, problems } = parseServers(value);
  const found = [
    ...problems.map(problem => ({ name: 'managedServers', problem })),
    ...servers.flatMap(({ name, problems }) => problems.map(problem => ({ name, problem }))),
  ].find(({ problem }) => problem.severity === 'error');
  return found && phrase('"{0}": {1}', visible(found.name, 60), found.problem.message);
}

/** Windows has no log of that kind. */
const isLog = (value: unknown): value is string =>
  typeof value === 'string' && (value === 'syslog' ? process.platform !== 'win32' : isAbsolute(value));

const isHosts = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= MAX_RULES &&
  value.every(text => typeof text === 'string' && !text.includes('${') && isHost(text));

function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_ADDRESS) return false;
  const url = parseUrl(value);
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

function parseRefusal(value: unknown): ManagedSettings['refusal'] | Phrase {
  if (value === undefined) return undefined;
  const { text, link, ...others } = isObject(value) ? value : { wrong: value };
  const isSentence = text === undefined || (typeof text === 'string' && text.length <= MAX_SENTENCE);
  const isLink =
    link === undefined || (typeof link === 'string' && /^https:\/\/[^\s]+$/.test(link) && URL.canParse(link));
  if (!isSentence || !isLink || Object.keys(others).length > 0)
    return phrase('"{0}" is none of these: {1}', 'refusal', '{ "text": "…", "link": "https://…" }');
  return { ...(text !== undefined && { text }), ...(link !== undefined && { link }) };
}

function parseList(value: unknown, key: string): ServerRule[] | Phrase {
  if (!Array.isArray(value) || value.length > MAX_RULES)
    return phrase('"{0}" is not a list of at most {1} rules', key, MAX_RULES);
  const rules: ServerRule[] = [];
  for (const [index, item] of value.entries()) {
    const rule = parseServerRule(item);
    if ('values' in rule) return phrase('rule {0} of "{1}": {2}', index + 1, key, rule);
    rules.push(rule);
  }
  return rules;
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
