import { looksLikeJson, parsedJson } from '../../base/json';
import { hasKnownToken, isRandom, isSecretName } from '../../base/secretWords';
import { parseUrl, percentDecoded } from '../../base/text';
import { maskedValues } from '../launch/launchReview';
import { type EnvValue, programIn, type ServerEntry } from '../settings';
import { socketOf } from '../settings/entryTexts';
import { allSecretParts, argumentPairs, namedValues } from '../settings/plainSecrets';

/** Nesting of JSON that is looked into. */
const MAX_DEPTH = 20;

/** The secrets of a launch: what a review masks, and what is secret by its name or a known prefix. */
export function secretsOfEntry(entry: ServerEntry): string[] {
  return [...new Set([...maskedValues(entry), ...otherSecrets(entry)])];
}

function otherSecrets(entry: ServerEntry): string[] {
  if (entry.type === 'stdio') {
    return [
      ...secretsOfVariables(entry.env),
      ...entry.args.flatMap((_arg, index) => ofArgument(entry.args, index)),
      ...ofUrl(entry.url ?? ''),
    ];
  }
  const { clientSecret, privateKey, assertion, identityProvider } = entry.oauth ?? {};
  const helper = programIn(entry);
  return [
    ...(helper ? otherSecrets(helper) : []),
    ...secretsOfVariables(entry.headers),
    ...ofUrl(socketOf(entry.url)?.url.href ?? entry.url),
    ...[clientSecret, privateKey, assertion, identityProvider?.clientSecret].filter(value => value !== undefined),
  ];
}

/** The secrets among environment variables, or headers. */
export function secretsOfVariables(env: Readonly<Record<string, string | null>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (value === null) return [];
    return [...(isSecretName(name) ? ofHeader(value) : tokensIn(value)), ...ofUrl(value), ...ofJson(value)];
  });
}

/** The secrets in headers that a program has printed: whatever they are called. */
export const secretsOfHeaders = (headers: Readonly<Record<string, string>>): string[] =>
  Object.values(headers).flatMap(ofHeader);

/** Values that `${env:NAME}` put into the environment or the headers of a server: secrets, unless obviously not. */
export function secretsOfEnvValues(values: readonly EnvValue[]): string[] {
  return values
    .filter(({ name: variable, value, path }) => {
      if (isSecretName(variable) || hasKnownToken(value)) return true;
      const [field, name] = path[0] === 'headersHelper' ? path.slice(1) : path;
      if (field !== 'env' && field !== 'headers') return false;
      if (isSecretName(String(name))) return true;
      return (
        isRandom(value) || (value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value) && !/[\s/\\]/.test(value))
      );
    })
    .flatMap(({ value }) => [value, ...ofUrl(value)]);
}

function ofArgument(args: readonly string[], index: number): string[] {
  const named = argumentPairs(args, index).flatMap(({ name, value }) => [
    ...(isSecretName(name) ? ofHeader(value) : []),
    ...ofUrl(value),
    ...ofJson(value),
  ]);
  return [...named, ...ofUrl(args[index]!), ...ofJson(args[index]!)];
}

/** A value that is secret by its name: all of it, the part after the scheme, and of Basic the password. */
function ofHeader(value: string): string[] {
  const [, scheme = '', rest = ''] = /^(\w+)\s+(\S.*)$/.exec(value) ?? [];
  // `--auth user:password`
  const [, password] = /^[^\s:/]+:([^\s:/]+)$/.exec(value) ?? [];
  if (!rest) return [value, ...partsOf(value), ...(password === undefined ? [] : [password])];
  if (scheme.toLowerCase() !== 'basic') return [value, rest, ...partsOf(value)];
  const decoded = Buffer.from(rest, 'base64').toString();
  return [value, rest, decoded.slice(decoded.indexOf(':') + 1)];
}

/** What stands in a cookie or a line of a shell beside names and other words: a server may print it alone. */
const partsOf = (value: string): string[] =>
  value
    .split(/[;,\s&|"']+/)
    .map(part => part.replace(/^[\w.-]{1,99}=(?==*[^=])/, ''))
    .filter(part => part !== value && isMixed(part));

/** What a script takes from elsewhere. */
const CODE = /[$(){}[\]<>]|^[a-z_]\w*(?:\.[a-z_]\w*)+$/i;
/** Few words and names have digits. */
const isMixed = (text: string) => text.length >= 8 && /\d/.test(text) && /[a-z]/i.test(text);

/** The texts and numbers in JSON that a name around them calls secret. */
const ofJson = (text: string): string[] => (looksLikeJson(text) ? secretMembers(parsedJson(text), false) : []);

function secretMembers(value: unknown, isSecret: boolean, depth = 0): string[] {
  if (typeof value === 'number') return isSecret ? [String(value)] : [];
  if (typeof value === 'string') return isSecret ? ofHeader(value) : ofUrl(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    secretMembers(item, isSecret || isSecretName(name), depth + 1),
  );
}

/** The password of an address, and its parameters with names of secrets. */
function ofUrl(text: string): string[] {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (!url) return tokensIn(text);
  const { username, password, searchParams } = url;
  const named = [...searchParams].filter(([name]) => isSecretName(name)).map(([, value]) => value);
  // A user without a password is a token.
  return [password ? percentDecoded(password) : percentDecoded(username), ...named, ...tokensIn(text)];
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\w+/=\s:,.-]{0,20000}/g;

function tokensIn(text: string): string[] {
  const named = namedValues(text).filter(({ value }) => isMixed(value) && !CODE.test(value));
  const values = [...allSecretParts(text), ...named].map(({ value }) => value);
  return [...values, ...(text.match(PRIVATE_KEY) ?? [])];
}
