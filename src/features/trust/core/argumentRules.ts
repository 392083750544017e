import { isIP } from 'node:net';
import { attempt } from '../../../base/errors';
import { isWithin, pathOf, readingsOf, realPlace } from '../../../base/filePlace';
import { canonicalJson, fingerprint } from '../../../base/fingerprint';
import { normalized } from '../../../base/normalized';

/**
 * A condition on one argument of a call. `path` is a JSON pointer into the arguments (RFC 6901), in which `*` stands for
 * every item of a list. `any` accepts any value and a missing argument; all other conditions require a value.
 */
export type ArgumentCondition =
  | { readonly path: string; readonly is: 'any' }
  | { readonly path: string; readonly is: 'equals'; readonly value: unknown }
  /** The folder, with links resolved when the rule was made. */
  | { readonly path: string; readonly is: 'below'; readonly folder: string }
  /** Origins: `https://example.com`, `http://localhost:3000`. */
  | { readonly path: string; readonly is: 'host'; readonly hosts: readonly string[] };

/** Matches a call when each condition holds and each argument has a condition. Calls with further arguments are asked about. */
export type ArgumentRule = readonly ArgumentCondition[];

type Step = string | number;
type RulePath = readonly (string | typeof EVERY)[];

interface Leaf {
  readonly path: readonly Step[];
  readonly value: unknown;
}

/** More arguments than any call with a rule has. */
const MAX_LEAVES = 1_000;
const MAX_DEPTH = 50;
const MAX_VALUE = 1_000;
const MAX_CONDITIONS = 100;

/** Whether the rule matches a call with these arguments. */
export function ruleHolds(rule: ArgumentRule, args: Readonly<Record<string, unknown>>): boolean {
  const leaves = leavesOf(args);
  if (!leaves) return false;
  const covered = new Set<Leaf>();
  for (const condition of rule) {
    const pointed = stepsOf(condition.path);
    const found = leaves.filter(leaf => {
      if (condition.is === 'any' || condition.is === 'equals') return begins(leaf.path, pointed);
      return leaf.path.length === pointed.length && begins(leaf.path, pointed);
    });
    if (!holds(condition, pointed, found, args)) return false;
    for (const leaf of found) covered.add(leaf);
  }
  return covered.size === leaves.length;
}

/** Whether a text meets a condition on folders or hosts. */
function isAt(condition: ArgumentCondition, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (condition.is === 'host') {
    const origin = originOf(value);
    return origin !== undefined && condition.hosts.includes(origin);
  }
  if (condition.is !== 'below') return false;
  const places = readingsOf(value)?.map(realPlace) ?? [undefined];
  return places.every(place => place !== undefined && isWithin(condition.folder, place));
}

/**
 * The origin of a web address, if all parsers agree on it: without user name, odd characters or signs that only some treat as
 * separators. International names are in wire form, without a trailing dot.
 */
export function originOf(text: string): string | undefined {
  const [, authority] = /^(?:https?|wss?):\/\/([^/?#]+)(?:[/?#]|$)/i.exec(text) ?? [];
  if (authority === undefined || /[\s\\\p{C}]/u.test(text)) return undefined;
  // The last ones become `ss` and the other sigma under the older standard for international names.
  if (/[@%ßẞςΣ]/.test(authority) || normalized(authority, 'NFKC') !== authority) return undefined;
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password } = new URL(text);
  if (username || password) return undefined;
  // Other spellings of numbers: some parsers read the leading zero of `0177.0.0.1` as octal, others ignore it.
  if (isIP(hostname.replace(/^\[|\]$/g, '')) && !authority.toLowerCase().startsWith(hostname)) return undefined;
  // A second address after this one, for parsers that accept lists.
  if (/[,;|][a-z][a-z\d+.-]*:\/\//i.test(text)) return undefined;
  return `${protocol}//${hostname.replace(/\.$/, '')}${port && `:${port}`}`;
}

/** Whether a value is short enough to be kept and shown as a part of a rule. */
export const isKeepable = (value: unknown): boolean => attempt(() => canonicalJson(value).length <= MAX_VALUE, false);

/** The pointer of an argument; `*`, for the items of a list, is not the name of a member. */
export function pointerOf(path: readonly string[], items = false): string {
  const steps = path.map(step => step.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('*', '~2'));
  return [...steps, ...(items ? ['*'] : [])].map(step => `/${step}`).join('');
}

/** The names in a pointer, `*` for the items of a list. */
export function stepsOf(pointer: string): (string | typeof EVERY)[] {
  return pointer
    .split('/')
    .slice(1)
    .map(step => (step === '*' ? EVERY : step.replaceAll('~2', '*').replaceAll('~1', '/').replaceAll('~0', '~')));
}

/** Stands for all items of a list in the steps of a pointer. A symbol, because any text may be a name. */
export const EVERY: unique symbol = Symbol('*');

/** The stored value as a rule. Undefined if any part of it is not valid. */
export function parseRule(value: unknown): ArgumentRule | undefined {
  if (!Array.isArray(value) || value.length > MAX_CONDITIONS) return undefined;
  const rule = value.map(parseCondition);
  return rule.every(condition => condition !== undefined) ? rule : undefined;
}

/** Identifies a rule in the audit log, which must not contain its argument values. */
export const ruleId = (rule: ArgumentRule): string => fingerprint(rule).slice(0, 16);

export const isSameRule = (one: ArgumentRule, other: ArgumentRule): boolean =>
  canonicalJson(one) === canonicalJson(other);

function parseCondition(value: unknown): ArgumentCondition | undefined {
  const { path, is, folder, hosts } = Object(value) as Record<string, unknown>;
  if (typeof path !== 'string' || !path.startsWith('/')) return undefined;
  if (is === 'any') return { path, is };
  if (is === 'equals' && Object.hasOwn(Object(value), 'value')) {
    const kept = (value as { value: unknown }).value;
    return isKeepable(kept) ? { path, is, value: kept } : undefined;
  }
  if (is === 'below' && typeof folder === 'string' && pathOf(folder) !== undefined) return { path, is, folder };
  const isHosts = Array.isArray(hosts) && hosts.length > 0 && hosts.every(host => typeof host === 'string');
  return is === 'host' && isHosts ? { path, is, hosts } : undefined;
}

function holds(
  condition: ArgumentCondition,
  steps: RulePath,
  found: readonly Leaf[],
  args: Readonly<Record<string, unknown>>,
): boolean {
  if (condition.is === 'any') return true;
  if (condition.is !== 'equals') return found.length > 0 && found.every(({ value }) => isAt(condition, value));
  const value = at(args, steps);
  return value !== undefined && canonicalJson(value) === canonicalJson(condition.value);
}

/** The member at a path of names. Lists are compared as a whole, so their items have none. */
function at(args: unknown, steps: RulePath): unknown {
  let value = args;
  for (const step of steps) {
    if (step === EVERY || typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function begins(path: readonly Step[], steps: RulePath): boolean {
  return (
    steps.length <= path.length &&
    steps.every((step, index) => (step === EVERY ? typeof path[index] === 'number' : path[index] === step))
  );
}

/** The members of an object or the items of a list; a scalar has none. */
function partsOf(value: unknown): [Step, unknown][] {
  if (Array.isArray(value)) return [...value.entries()];
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** All leaf values of the arguments. Undefined if there are too many. */
function leavesOf(args: Readonly<Record<string, unknown>>): Leaf[] | undefined {
  const leaves: Leaf[] = [];
  const visit = (value: unknown, path: readonly Step[]): boolean => {
    if (path.length > MAX_DEPTH || leaves.length > MAX_LEAVES) return false;
    // JSON omits it, so it is not sent.
    if (value === undefined) return true;
    const parts = partsOf(value);
    // An empty list is a value too: to many tools it means "all". A call without any argument needs no condition.
    if (parts.length === 0) {
      if (path.length > 0) leaves.push({ path, value });
      return true;
    }
    return parts.every(([step, part]) => visit(part, [...path, step]));
  };
  return visit(args, []) ? leaves : undefined;
}
