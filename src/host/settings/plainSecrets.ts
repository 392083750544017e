import { isObject } from '../../base/json';
import { phrase } from '../../base/phrase';
import { isCommonValue, isRandom, isSecretName, isTokenShaped, knownTokens } from '../../base/secretWords';
import { argumentPairs } from './argumentPairs';
import { quote } from './fieldProblems';
import type { ParsedServer, Problem } from './parseServers';
import { secretParts } from './secretParts';

/** A secret in plain text within a string of a settings file. */
interface PlainSecret {
  /** Path of the string, below the value of `mcpHost.servers`. */
  path: (string | number)[];
  /** Name of the variable, header, option or parameter with the value. */
  name: string;
  /** A part of the string, or all of it. */
  value: string;
  /** Where `value` begins in the string. */
  index: number;
}

/**
 * Apparent secrets in the values of an entry as written, which may have errors, variables unresolved; one for each string. A value of variables only
 * is fine.
 * @param byName also plain values whose variable, header, option, parameter or place in an address is named like a secret.
 */
export function findPlainSecrets({ path, entry, raw }: ParsedServer, { byName = false } = {}): PlainSecret[] {
  const found: PlainSecret[] = [];
  const add = (at: (string | number)[], secret: Found | undefined) => {
    if (secret) found.push({ path: [...path, ...at], ...secret });
  };
  const addEach = (values: unknown, ...at: string[]) => {
    for (const [key, value] of Object.entries(isObject(values) ? values : {}))
      if (typeof value === 'string') add([...at, key], inValue(key, value, byName));
  };
  // Also an entry with an error may hold a secret.
  const { env, args, headers, url, oauth } = Object(entry ?? raw) as Readonly<Record<string, unknown>>;
  addEach(env, 'env');
  const words = Array.isArray(args) ? args.map(arg => (typeof arg === 'string' ? arg : '')) : [];
  for (const index of words.keys()) add(['args', index], inArgument(words, index, byName));
  addEach(headers, 'headers');
  if (typeof url === 'string') add(['url'], inAddress(url, byName) ?? known('url', url) ?? within(url, byName));
  addEach(oauth, 'oauth');
  if (isObject(oauth)) addEach(oauth.identityProvider, 'oauth', 'identityProvider');
  return found;
}

/** The same as hints for a person, without the secrets. */
export function plainSecretHints(server: ParsedServer): Problem[] {
  return findPlainSecrets(server).map(({ path, name }) => ({
    severity: 'hint',
    code: 'plainSecret',
    path,
    message: phrase(
      "{0} of server {1} looks like a secret in plain text. Move it to an input to keep it in the editor's secret storage.",
      quote(name),
      quote(server.name),
    ),
  }));
}

type Found = Pick<PlainSecret, 'name' | 'value' | 'index'>;

/** An address may be a parameter of an address, and so on. */
const MAX_DEPTH = 3;

function inValue(name: string, text: string, byName: boolean, depth = 0): Found | undefined {
  const found = inAddress(text, byName, name, depth) ?? known(name, text) ?? within(text, byName, name);
  if (found || text.includes('${') || !isSecretName(name)) return found;
  // "Bearer x": the word before is not part of the secret.
  const index = /^(?:Bearer|Basic|Token|ApiKey)\s+/i.exec(text)?.[0].length ?? 0;
  const value = text.slice(index);
  const isSecret = byName ? !/^(?:true|false)?$/i.test(value) : isRandom(value);
  return isSecret ? { name, value, index } : undefined;
}

function inArgument(args: readonly string[], index: number, byName: boolean): Found | undefined {
  const arg = args[index]!;
  const pairs = argumentPairs(args, index);
  for (const { name, value } of pairs) {
    const found = isSecretName(name) ? inValue(name, value, byName) : undefined;
    if (found) return { ...found, index: found.index + arg.length - value.length };
  }
  const name = pairs.at(-1)?.name ?? `argument${index + 1}`;
  const found =
    inAddress(arg, byName) ?? known(name, arg) ?? within(arg, byName) ?? (byName ? namedIn(arg) : undefined);
  const value = pairs.at(-1)?.value ?? arg;
  if (found || !byName || !isTokenShaped(value)) return found;
  return { name, value, index: arg.length - value.length };
}

/** In a command line or JSON that is one argument: `--name value`, `NAME="value"`, `"name":"value"`. Bounded, thus linear. */
const NAMED =
  /(?<![\w-])(?:--([A-Za-z][\w-]{0,60})\s{1,3}(?!["']?[\w-]{1,61}(?::|=(?![=\s"']|$)))|(?:--?)?([A-Za-z][\w-]{0,60})(?:["']\s{0,3}[=:]\s{0,3}|\s{0,3}=\s{0,3}|:\s{1,3})(?:Bearer\s)?)["']?([^\s"';&|]{5,})/gi;

function namedIn(text: string): Found | undefined {
  for (const { 0: all, 1: option, 2: name = option ?? '', 3: value = '', index } of text.matchAll(NAMED)) {
    if (value.includes('${') || !isSecretName(name) || isCommonValue(value)) continue;
    return { name, value, index: index + all.length - value.length };
  }
  return undefined;
}

/** The secret by its place in a webhook, a path or a connection string. */
function within(text: string, byName: boolean, name?: string): Found | undefined {
  const [found] = byName ? secretParts(text) : [];
  return found && { ...found, name: name ?? found.name };
}

/** A parameter of an address that is secret by its name, its password, or what stands for one before the `@`. */
function inAddress(text: string, byName: boolean, name?: string, depth = 0): Found | undefined {
  if (!text.includes('://') || depth === MAX_DEPTH) return undefined;
  // Without "?" in a name: of many in a row each would be the start of a search for "=" through all others.
  for (const { 1: key = '', 2: value = '', index, 0: all } of text.matchAll(/[?&]([^=&#?]+)=([^&#]*)/g)) {
    const found = inValue(key, value, byName, depth + 1);
    if (found) return { ...found, name: name ?? key, index: found.index + index + all.length - value.length };
  }
  const match = USER_INFO.exec(text);
  if (!match) return undefined;
  const [all, scheme = '', user = '', password] = match;
  const value = password ?? user;
  // To a web server a user without a password is a token; to a database it is only a user.
  const isMeant = password !== undefined || /^(?:https?|wss?)$/i.test(scheme);
  const isSecret = byName ? isMeant : password !== undefined && password !== user && !isCommonValue(password);
  if (value.includes('${') || !(isSecret || isRandom(value))) return undefined;
  return { name: name ?? 'password', value, index: match.index + all.length - 1 - value.length };
}

/** The scheme, user and password of an address, in which variables may stand. */
const USER_INFO =
  /\b([a-z][a-z\d+.-]{0,30}):\/\/((?:\$\{[^{}]*\}|\$(?!\{)|[^\s:/?#@$])+|(?=:))(?::((?:\$\{[^{}]*\}|\$(?!\{)|[^\s/?#$])+))?@/i;

function known(name: string, text: string): Found | undefined {
  const [found] = knownTokens(text);
  return found && { name, ...found };
}
