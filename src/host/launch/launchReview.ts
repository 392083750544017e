import { canonicalJson, fingerprint } from '../../base/fingerprint';
import { looksLikeJson, parsedJson } from '../../base/json';
import { isCredentialName, isRandom, isSecretName, withoutKnownTokens } from '../../base/secretWords';
import { exact } from '../../base/text';
import type { EntryValue, ReviewedField } from '../settings/fields';
import type { InputDefinition } from '../settings/inputs';
import { argumentPairs, connectionPairs } from '../settings/plainSecrets';
import { programIn, type ServerEntry } from '../settings/schema';
import { powerOf } from './environment';
import { beginsAsCommand, eachSecret, isInert, MAX_READ, readsAsCommand, SCHEME } from './secretForms';

/** One part of a launch for display and storage, without secrets (`shownVariable`). */
export interface LaunchField {
  kind:
    | 'type'
    | 'command'
    | 'argument'
    | 'cwd'
    | 'envFile'
    | 'env'
    | 'url'
    | 'header'
    | 'oauth'
    | 'input'
    | 'sandbox'
    | 'build'
    | 'debug';
  /** Name of the variable or header. */
  name?: string;
  /** Exact and visible, but secrets: see `shownVariable`. */
  text: string;
  /** What is masked in it could be run as a command, too. */
  mayRun?: true;
  /** Salted SHA-256 of the whole value. */
  hash: string;
}

/** Stands for a variable that the entry removes from the environment. */
export const REMOVED = '∅';
/** Enough to compare a field later. */
const MAX_KEPT = 2_000;

const SECRET_OAUTH = /(^|\.)(clientSecret|privateKey|assertion)$/;

/** A part before its hash is taken and its text is cut. */
interface LaunchPart extends Omit<LaunchField, 'hash'> {
  readonly value: string | null;
}

type EntryValues = { readonly [F in ReviewedField]?: EntryValue<F> | undefined };

const part = (kind: LaunchField['kind'], value: string | null, text: string, name?: string): LaunchPart => ({
  kind,
  value,
  text,
  ...(name !== undefined && { name }),
});

/** The parts of each field, in display order. */
const PARTS: { readonly [F in ReviewedField]: (value: EntryValue<F>) => readonly LaunchPart[] } = {
  type: type => [part('type', type, type)],
  command: command => [part('command', command, valueText(command))],
  args: args => args.map((value, index) => part('argument', value, argumentText(args, index))),
  cwd: cwd => [part('cwd', cwd, valueText(cwd))],
  url: url => [part('url', url, shownAddress(url))],
  envFile: file => [part('envFile', file, valueText(file))],
  env: env =>
    Object.entries(env).map(([name, value]) => {
      if (value === null) return part('env', value, REMOVED, name);
      const secrets: string[] = [];
      const text = shownVariable(name, value, secret => {
        secrets.push(secret);
        return MASK;
      });
      return { ...part('env', value, text, name), ...(!secrets.every(isInert) && { mayRun: true }) };
    }),
  headers: headers =>
    Object.entries(headers).map(([name, value]) => part('header', value, shownHeader(name, value), name)),
  headersHelper: partsOf,
  oauth: ({ identityProvider = {}, ...others }) =>
    // Those of the identity provider are listed separately, because one of them is secret.
    [
      ...Object.entries(others),
      ...Object.entries(identityProvider).map(([key, value]) => [`identityProvider.${key}`, value] as const),
    ].map(([name, value]) => {
      const text = typeof value === 'string' ? value : canonicalJson(value);
      return part('oauth', text, SECRET_OAUTH.test(name) ? mask(text) : valueText(text), name);
    }),
  sandbox: rules => ruleParts('sandbox', rules),
  dev: ({ build, sandbox, debug }) => [
    ...(build === undefined ? [] : [part('build', build, valueText(build)), ...ruleParts('build', sandbox, 'sandbox')]),
    ...(debug === undefined ? [] : [part('debug', canonicalJson(debug), debuggerText(debug))]),
  ],
};

function partsOf(values: EntryValues): readonly LaunchPart[] {
  return (Object.keys(PARTS) as ReviewedField[]).flatMap(name => partsOfField(name, values));
}

function partsOfField<F extends ReviewedField>(name: F, values: EntryValues): readonly LaunchPart[] {
  const value = values[name] as EntryValue<F> | undefined;
  return value === undefined ? [] : PARTS[name](value);
}

/** The sandbox rules, list by list, so that a change shows what differs. */
function ruleParts(
  kind: LaunchField['kind'],
  sandbox: EntryValue<'sandbox'> | undefined,
  prefix?: string,
): readonly LaunchPart[] {
  if (sandbox === undefined) return [];
  const lists = typeof sandbox === 'object' ? Object.entries(sandbox) : [];
  // No list at all is the same as true.
  const rules = lists.length > 0 ? lists : [[undefined, sandbox !== false] as const];
  return rules.map(([name, value]) => {
    const path = [prefix, name].filter(word => word !== undefined).join('.');
    return part(kind, canonicalJson(value), ruleText(value), path || undefined);
  });
}

/** The parts of a launch, in display order. @param maxText characters kept of each; the hash covers all of it. */
export function launchFields(
  reviewed: ServerEntry,
  inputs: readonly InputDefinition[],
  salt: string,
  maxText = MAX_KEPT,
): LaunchField[] {
  const asked = inputs.map(input => part('input', canonicalJson(input), inputText(input), input.id));
  return [...partsOf(reviewed), ...asked].map(({ value, text, ...others }) => ({
    ...others,
    text: text.length > maxText ? `${text.slice(0, maxText)}…` : text,
    hash: fingerprint({ salt, value }),
  }));
}

/** What an entry says of its debugger, whose settings can name programs. */
export const debuggerText = (debug: NonNullable<EntryValue<'dev'>['debug']>): string =>
  valueText(typeof debug === 'string' ? debug : canonicalJson(debug));

/**
 * The complete, unambiguous command line on one line. Words that are not plain are in double quotes, with `\"` and `\\`
 * inside. Variables that are resolved at launch are shown as `${…}`, the same literal text as `$${…}`.
 */
export function commandLine(command: string, args: readonly string[]): string {
  return [command, ...args].map(quoteWord).join(' ');
}

const ruleText = (value: boolean | readonly string[]) =>
  typeof value === 'object' ? value.map(quoteWord).join(' ') : String(value);

const quoteWord = (word: string) => quoted(valueText(word));

/** Quotes a displayable text whose end would be ambiguous. */
export const quoted = (text: string): string => (/^[\w@%+=:,./\\~${}•-]+$/.test(text) ? text : inQuotes(text));

const inQuotes = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Describes an input for review: the values that it can have without being typed, or the command that provides its value. */
function inputText(input: InputDefinition): string {
  if (input.type === 'command') {
    const args = input.args === undefined ? '' : ` ${exact(canonicalJson(input.args))}`;
    return `command ${exact(input.command)}${args}`;
  }
  const value = (text: string) => inQuotes(exact(text));
  const options =
    input.type === 'pickString' ? ` ${input.options.map(option => value(optionValue(option))).join(' | ')}` : '';
  return `${input.type}${options}${input.default === undefined ? '' : `, default ${value(input.default)}`}`;
}

const optionValue = (option: string | { value: string }) => (typeof option === 'string' ? option : option.value);

/** An argument as stored, with masked options of secret names and passwords in addresses. Reviews show all. */
function argumentText(args: readonly string[], index: number, masking = masked): string {
  const arg = args[index]!;
  const secret = argumentPairs(args, index).find(({ name, value }) => isMaskedOption(name, value));
  if (!secret) {
    const text = arg.length > MAX_READ ? arg : eachLiteral(arg, part => withoutPairs(part, masking));
    return text.includes('://') ? shownAddress(text, masking) : valueText(text);
  }
  return valueText(arg.slice(0, arg.length - secret.value.length)) + mask(secret.value, masking);
}

export const MASK = '•••';

/** Stands for a secret in a text. */
type Masking = (secret: string) => string;
const masked: Masking = () => MASK;

/** The secrets that a review masks. The redactor takes them from here, so that it misses none of them. */
export function maskedValues(entry: ServerEntry): string[] {
  const found: string[] = [];
  const collect: Masking = secret => {
    if (!secret.includes(MASK)) found.push(secret);
    return MASK;
  };
  if (entry.url !== undefined) shownAddress(entry.url, collect);
  if (entry.type === 'stdio') {
    for (const [name, value] of Object.entries(entry.env)) if (value !== null) shownVariable(name, value, collect);
    for (const index of entry.args.keys()) argumentText(entry.args, index, collect);
  } else {
    for (const [name, value] of Object.entries(entry.headers)) shownHeader(name, value, collect);
    const helper = programIn(entry);
    if (helper) found.push(...maskedValues(helper));
  }
  return found;
}

/** A reference of an entry under review (`forReview`), without its mark. */
const REFERENCE = /\0(\{[^{}]*\})/;
/** Not over a backslash, which ends a host as a slash does. */
const PASSWORD = /(:\/\/[^\s:/\\?#@]*:)([^\s/\\?#@]+)(?=@)/g;
const NAMED = /([A-Za-z_][\w.-]{0,60})(["']?\s?[=:]\s?)("(?:\\.|[^"\\])*"|'[^']*'|[^\s;,&"']+)/g;
const PARAMETER = /([?&])([^=&#]{1,200})=([^&#]+)/g;

/** What a path, a command or a script has, and few secrets: nothing that could be run may hide behind the look of one. */
const RUNNABLE = /[\s/\\|&;<>()$`'"*?!{}[\]~]/;
/** Of these texts only what is secret by name is masked; they are data as a whole, and no command. */
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\/[^\s`|<>$;()\\]*$/i;
const CONNECTION = /^[\w .-]+=[^;]*(?:;[\w .-]+=[^;]*)*;?$/;
/**
 * The beginning of a value in a connection string that no shell or script can run: up to what starts a command, and not a call as
 * in `require"x"`. What follows is shown.
 */
const INERT = /^(?![\w.:]+(["']).*\1$)[^\s;|&<>()$`]+/;

/** Whether the name of a parameter says that its value is a secret; broadly, where nothing can hide behind that. */
const saysSecret = (name: string): boolean =>
  isSecretName(name) || /key|token|secret|passw|auth|credential/i.test(name.slice(0, 200));

/**
 * Whether the value of an option is masked: of one that is called after a secret unless it is a path or a command, of one whose name
 * only speaks of secrets (`--auth-opener`) unless it may be one.
 */
const isMaskedOption = (name: string, value: string): boolean =>
  !powerOf(name) && (isCredential(name, value) || (saysSecret(name) && !isCredentialName(name) && !isRunnable(value)));

const isRunnable = (value: string) => RUNNABLE.test(value.replace(SCHEME, ''));

/** Whether a value is secret by the name of what has it. A path or a command under such a name is no secret, and may be run. */
const isCredential = (name: string, value: string) => isCredentialName(name) && !readsAsCommand(value);

/** A value as a person reads it: hidden characters visible, references as `${…}`. */
export function valueText(value: string): string {
  return eachPart(value, plainText);
}

/** Only the references of a value, which are names: what is around them is masked. */
export function mask(value: string, masking = masked): string {
  return valueText(hide(value, masking));
}

/**
 * The value of a variable. Masked is what its name calls a secret, unless it reads as a path or a command, and a token that is known by
 * its prefix. All else may decide what is run, and is shown however it looks: a program reads variables of any name.
 */
export function shownVariable(name: string, value: string, masking = masked): string {
  const power = powerOf(name);
  // Of a proxy with a password only that is masked: the place where traffic goes may look like anything.
  if (power === 'network') return shownAddress(value, masking);
  if (power) return valueText(value);
  if (isCredential(name, value)) return valueText(eachSecret(value, secret => hide(secret, masking)));
  if (isData(value)) return eachPart(value, part => plainText(withoutNamed(part, isSecretNamed, masking)));
  if (value.length <= MAX_READ && connectionPairs(value).length > 0)
    return eachPart(value, part => plainText(withoutPairs(part, masking)));
  if (isRunnable(value)) return valueText(value);
  return isSecretName(name) ? mask(value, masking) : plainText(withoutKnownTokens(value, masking));
}

/** An address, a connection string or JSON: they name what is secret in them. */
function isData(value: string): boolean {
  if (value.length > MAX_READ) return false;
  const text = value.replaceAll(new RegExp(REFERENCE, 'g'), '');
  if (ADDRESS.test(text)) return true;
  if (CONNECTION.test(text)) return !/[|&<>()$`'"\\]/.test(text);
  return looksLikeJson(text) && typeof parsedJson(text) === 'object';
}

const isSecretNamed = (name: string, value: string) =>
  isCredential(name, unquoted(value)) || (isSecretName(name) && !isRunnable(value.replace(/^"(.*)"$/s, '$1')));

/** The value of a header: masked is what is secret by its name or its shape. */
export function shownHeader(name: string, value: string, masking = masked): string {
  if (!isSecretName(name))
    return eachPart(value, part => plainText(part.length > MAX_READ ? part : withoutSecrets(part, masking)));
  const [scheme = ''] = SCHEME.exec(value) ?? [];
  return scheme + mask(value.slice(scheme.length), masking);
}

/** An address: where it leads is shown, whatever it looks like; parameters that are secret by name, and passwords, are not. */
export function shownAddress(url: string, masking = masked): string {
  const masked = url
    .replace(PASSWORD, (_all, before: string, password: string) => before + hide(password, masking))
    .replace(PARAMETER, (all, sign: string, name: string, value: string) =>
      saysSecret(name) ? `${sign}${name}=${hide(value, masking)}` : all,
    );
  return valueText(masked);
}

function withoutSecrets(text: string, masking: Masking): string {
  if (/^[\w+-]+={0,2}$/.test(text) && /\d/.test(text) && isRandom(text)) return masking(text);
  return withoutNamed(withoutKnownTokens(text, masking), isSecretName, masking);
}

/** Without passwords of addresses, and values that a name before them calls secret. */
const withoutNamed = (text: string, isSecret: (name: string, value: string) => boolean, masking: Masking) =>
  text
    .replace(PASSWORD, (_all, before: string, password: string) => before + masking(password))
    // In an address a value may have quotes.
    .replace(ADDRESS, address =>
      address.replace(PARAMETER, (all, sign: string, name: string, value: string) =>
        isSecret(name, value) ? `${sign}${name}=${masking(value)}` : all,
      ),
    )
    .replace(NAMED, (all, name: string, sign: string, value: string) =>
      isSecret(name, value) ? name + sign + masking(unquoted(value)) : all,
    );

/** A text like a connection string, which may be a script as well. */
function withoutPairs(text: string, masking: Masking): string {
  const hasOther = /["'].*["'].*["']/s.test(text);
  let end = 0;
  const kept = connectionPairs(text).map(({ name, value, index }) => {
    const isQuoted = !hasOther && /["']/.test(text[index - 1]!) && !/[$`\\]/.test(value);
    const secret = isQuoted ? value : (INERT.exec(value)?.[0] ?? '');
    if (!secret || !/^[\w .-]+$/.test(name) || !isCredentialName(name) || beginsAsCommand(secret)) return '';
    const before = text.slice(end, index);
    end = index + secret.length;
    return before + masking(secret);
  });
  return kept.join('') + text.slice(end);
}

const unquoted = (value: string) => value.replace(/^(["'])(.*)\1$/s, '$2');

/** As `mask`, with the references still marked as such. */
const hide = (value: string, masking: Masking) => eachLiteral(value, part => part && masking(part));

/** What is between the references, changed; they themselves as they are. */
const eachLiteral = (value: string, change: (part: string) => string) =>
  value
    .split(REFERENCE)
    .map((part, index) => (index % 2 === 0 ? change(part) : `\0${part}`))
    .join('');

const plainText = (text: string) => exact(text.replace(/\$(?=\{)/g, '$$$$'));

/** What is between the references, changed; they themselves as `${…}`. */
function eachPart(value: string, change: (part: string) => string): string {
  return value
    .split(REFERENCE)
    .map((part, index) => (index % 2 === 0 ? change(part) : `$${exact(part)}`))
    .join('');
}
