import { isObject } from '../../base/json';
import { phrase } from '../../base/phrase';
import {
  isCommonValue,
  isRandom,
  isSecretName,
  isTokenShaped,
  knownTokens,
  type TextMatch,
} from '../../base/secretWords';
import { needsShell } from './entryTexts';
import { quote } from './fieldProblems';
import type { ParsedServer, Problem } from './parseServers';

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
  const add = (at: (string | number)[], secret: FoundSecret | undefined) => {
    if (secret) found.push({ path: [...path, ...at], ...secret });
  };
  const addEach = (values: unknown, ...at: string[]) => {
    for (const [key, value] of Object.entries(isObject(values) ? values : {}))
      if (typeof value === 'string') add([...at, key], inValue(key, value, byName));
  };
  // Also an entry with an error may hold a secret.
  const { env, args, headers, url, oauth } = Object(entry ?? raw) as Readonly<Record<string, unknown>>;
  const addProgram = (variables: unknown, list: unknown, ...at: string[]) => {
    addEach(variables, ...at, 'env');
    const words = Array.isArray(list) ? list.map(arg => (typeof arg === 'string' ? arg : '')) : [];
    for (const index of words.keys()) add([...at, 'args', index], inArgument(words, index, byName));
  };
  addProgram(env, args);
  addEach(headers, 'headers');
  // As written: a line has no parts.
  const { headersHelper } = Object(raw) as Readonly<Record<string, unknown>>;
  if (isObject(headersHelper)) addProgram(headersHelper.env, headersHelper.args, 'headersHelper');
  else if (typeof headersHelper === 'string' && !needsShell(headersHelper))
    add(['headersHelper'], inArgument([headersHelper], 0, byName));
  if (typeof url === 'string') add(['url'], inAddress(url, byName) ?? known('url', url) ?? within(url, byName));
  addEach(oauth, 'oauth');
  if (isObject(oauth)) addEach(oauth.identityProvider, 'oauth', 'identityProvider');
  return found;
}

/**
 * Hints at secrets in plain text, for a person: the secrets themselves are not in them.
 * @param isShared whether the file may be one that others have, too, such as that of a workspace: a warning, and no hint.
 */
export function plainSecretHints(server: ParsedServer, isShared: boolean): Problem[] {
  return findPlainSecrets(server).map(({ path, name }) => ({
    severity: isShared ? 'warning' : 'hint',
    code: 'plainSecret',
    path,
    message: phrase(
      "{0} of server {1} looks like a secret in plain text. Move it to an input to keep it in the editor's secret storage.",
      quote(name),
      quote(server.name),
    ),
  }));
}

type FoundSecret = Pick<PlainSecret, 'name' | 'value' | 'index'>;

/** An address may be a parameter of an address, and so on. */
const MAX_DEPTH = 3;

function inValue(name: string, text: string, byName: boolean, depth = 0): FoundSecret | undefined {
  const found = inAddress(text, byName, name, depth) ?? known(name, text) ?? within(text, byName, name);
  if (found || text.includes('${') || !isSecretName(name)) return found;
  // "Bearer x": the word before is not part of the secret.
  const index = /^(?:Bearer|Basic|Token|ApiKey)\s+/i.exec(text)?.[0].length ?? 0;
  const value = text.slice(index);
  const isSecret = byName ? !/^(?:true|false)?$/i.test(value) : isRandom(value);
  return isSecret ? { name, value, index } : undefined;
}

function inArgument(args: readonly string[], index: number, byName: boolean): FoundSecret | undefined {
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
  /(?<![\w-])(?:--([A-Za-z][\w-]{0,60})\s{1,3}(?!["']?[\w-]{1,61}(?::|=(?![=\s"']|$)))|(?:--?)?([A-Za-z_][\w-]{0,60})(?:["']\s{0,3}[=:]\s{0,3}|\s{0,3}=\s{0,3}|:[\t ]{1,3})(?:Bearer\s)?)["']?([^\s"';&|]{5,})/gi;

/** All values that a name before them calls secret. */
export const namedValues = (text: string): FoundSecret[] =>
  [...text.matchAll(NAMED)].flatMap(({ 0: all, 1: option, 2: name = option ?? '', 3: value = '', index }) =>
    isSecretName(name) ? [{ name, value, index: index + all.length - value.length }] : [],
  );

const namedIn = (text: string): FoundSecret | undefined =>
  namedValues(text).find(({ value }) => !value.includes('${') && !isCommonValue(value));

/** The secret by its place in a webhook, a path or a connection string. */
function within(text: string, byName: boolean, name?: string): FoundSecret | undefined {
  const [found] = byName ? secretParts(text) : [];
  return found && { ...found, name: name ?? found.name };
}

/** A parameter of an address that is secret by its name, its password, or what stands for one before the `@`. */
function inAddress(text: string, byName: boolean, name?: string, depth = 0): FoundSecret | undefined {
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

function known(name: string, text: string): FoundSecret | undefined {
  const [found] = knownTokens(text);
  return found && { name, ...found };
}

/** A part of a text that is secret because of its place. */
interface SecretPart extends TextMatch {
  name: string;
}

/** Addresses that are secrets, as knowing one is enough to post to it. The part after this distinguishes them. */
const WEBHOOK =
  /https:\/\/(?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/|(?:[a-z]+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/|[\w-]+\.webhook\.office\.com\/|outlook\.office(?:365)?\.com\/webhook\/|hooks\.zapier\.com\/hooks\/catch\/|api\.telegram\.org\/bot)([^\s?#"'<>]+)/gi;
const PATH = /:\/\/[^\s/?#]*(\/[^\s?#"'<>]*)/g;
/** Connection strings of databases and clouds: `AccountName=x;AccountKey="y;z"`, `host=x password=y`. */
const CONNECTION = {
  ';': /(?<![^;])([^=;]+)=(?:"((?:[^"]|"")*)"(?![^;])|'((?:[^']|'')*)'(?![^;])|([^;]*))/g,
  ' ': /(?<!\S)([^=\s]+)=(?:"((?:[^"]|"")*)"(?!\S)|'((?:[^']|'')*)'(?!\S)|(\S*))/g,
};

/**
 * The secrets within a text that is not a secret as a whole: the end of a webhook address, random parts in the path of an
 * address, and the values in a connection string that are secret by name. Linear in the text.
 */
export function secretParts(text: string): SecretPart[] {
  if (!text.includes('://')) return literal(inConnection(text));
  const webhooks = [...text.matchAll(WEBHOOK)].map(({ 0: all, 1: value = '', index }) => ({
    name: 'webhook',
    value,
    index: index + all.length - value.length,
  }));
  const paths = [...text.matchAll(PATH)].flatMap(({ 0: all, 1: path = '', index }) => {
    const start = index + all.length - path.length;
    return [...path.matchAll(/[^/]+/g)]
      .filter(([segment]) => isTokenShaped(segment))
      .map(({ 0: value, index: at }) => ({ name: 'path', value, index: start + at }));
  });
  return literal([...webhooks, ...paths, ...inConnection(text)]);
}

/** Those that are not variables. */
const literal = (parts: SecretPart[]) => parts.filter(({ value }) => !value.includes('${'));

/** The values in a connection string, without quotes around them; none if it is no such string. */
export function connectionPairs(text: string): SecretPart[] {
  if (!text.includes('=')) return [];
  const pattern = text.includes(';') ? CONNECTION[';'] : CONNECTION[' '];
  const pairs = [...text.matchAll(pattern)].map(({ 0: all, 1: name = '', 2: double, 3: single, 4: bare, index }) => {
    const value = double || single || bare || '';
    return { name, value, index: index + all.length - value.length - (double || single ? 1 : 0) };
  });
  // A single pair is a variable or an option.
  return pairs.length < 2 ? [] : pairs;
}

function inConnection(text: string): SecretPart[] {
  return connectionPairs(text)
    .filter(({ name, value }) => value && isSecretName(name.trim().slice(-100)))
    .map(pair => ({ ...pair, name: pair.name.trim().split(/\s/).at(-1)! }));
}

/** Those, and recognizable tokens. */
export const allSecretParts = (text: string): TextMatch[] => [...secretParts(text), ...knownTokens(text)];

/** A value at the end of an argument, and the name of what it is the value of. */
interface ArgumentPair {
  name: string;
  value: string;
}

/**
 * The ways to read an argument: the value after `--name`, or `--name=value`, `NAME=value` and `Name: value`. The last two
 * also occur within an option, as in `--env=NAME=value` and `-eNAME=value`.
 */
export function argumentPairs(args: readonly string[], index: number): ArgumentPair[] {
  const arg = args[index]!;
  const [, option, value = ''] = /^-{1,2}([\w.-]+)[=:]\s*(.*)/s.exec(arg) ?? [];
  if (option !== undefined) {
    const attached = arg.startsWith('--') ? [] : pairIn(arg.slice(2), arg[1]!);
    return [{ name: option, value }, ...pairIn(value, option), ...attached];
  }
  if (/^-{1,2}[\w.-]+$/.test(arg)) return [];
  const before = /^-{1,2}([\w.-]+)$/.exec(args[index - 1] ?? '')?.[1];
  return before === undefined ? pairIn(arg) : [{ name: before, value: arg }, ...pairIn(arg, before)];
}

function pairIn(text: string, option = ''): ArgumentPair[] {
  const [, name, sign = '', value = ''] = /^([\w.-]+)(=|:\s*)(.+)/s.exec(text) ?? [];
  if (name === undefined) return [];
  // Without a space, this is an image tag, an address or a path, unless a header is expected.
  return sign !== ':' || /^(H|headers?)$/.test(option) ? [{ name, value }] : [];
}
