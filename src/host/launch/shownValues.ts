import { isCredentialName, isRandom, isSecretName, withoutKnownTokens } from '../../base/secretWords';
import { exact } from '../../base/text';
import { knownProgram, programName } from './knownPrograms';
import { powerOf } from './powerfulVariables';

export const MASK = '•••';
/** A reference of an entry under review (`resolveForReview`), without its mark. */
const REFERENCE = /\0(\{[^{}]*\})/;
/** What is longer holds more than a token, and is shown. */
const MAX_SEARCHED = 20_000;
/** Not over a backslash, which ends a host as a slash does. */
const PASSWORD = /(:\/\/[^\s:/\\?#@]*:)([^\s/\\?#@]+)(?=@)/g;
const NAMED = /([A-Za-z_][\w.-]{0,60})(["']?\s?[=:]\s?)("[^"]*"|'[^']*'|[^\s;,&"']+)/g;
const PARAMETER = /([?&])([^=&#]{1,200})=([^&#]+)/g;
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey) +(?=\S)/i;

/** What a path, a command or a script has, and few secrets: nothing that could be run may hide behind the look of one. */
const RUNNABLE = /[\s/\\|&;<>()$`'"*?!{}[\]~]/;
/** Of these texts only what is secret by name is masked; they are data as a whole, and no command. */
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\/[^\s'"`|<>$;()\\]*$/i;
const CONNECTION = /^[\w .-]+=[^;]*(?:;[\w .-]+=[^;]*)*;?$/;

/** Whether the name of a parameter says that its value is a secret; broadly, where nothing can hide behind that. */
const saysSecret = (name: string): boolean =>
  isSecretName(name) || /key|token|secret|passw|auth|credential/i.test(name.slice(0, 200));

/**
 * Whether the value of an option is masked: of one that is called after a secret unless it is a path or a command, of one whose name
 * only speaks of secrets (`--auth-opener`) unless it may be one.
 */
export const isMaskedOption = (name: string, value: string): boolean =>
  !powerOf(name) && (isCredential(name, value) || (saysSecret(name) && !isCredentialName(name) && !isRunnable(value)));

const isRunnable = (value: string) => RUNNABLE.test(value.replace(SCHEME, ''));

/** Whether a value is secret by the name of what has it. A path or a command under such a name is no secret, and may be run. */
const isCredential = (name: string, value: string) => isCredentialName(name) && !isPath(value) && !isCommand(value);

/** Generated secrets have slashes too, but neither such a beginning nor dots and dashes between them. */
const ABSOLUTE = /^(?:\0\{[^{}]*\})?(?:~|\.{1,2}|[A-Za-z]:)?[\\/]/;
const RELATIVE = /^(?=.*[.@_-])[\w@.+-]+(?:[\\/][\w@.+ -]+)+$/;
const isPath = (value: string) => ABSOLUTE.test(value) || RELATIVE.test(value);

const isCommand = (value: string) => {
  const [command = '', ...args] = value.trimStart().split(/\s+/, 2);
  return args.length > 0 && (isPath(command) || knownProgram(programName(command)) !== undefined);
};

/** A value as a person reads it: hidden characters visible, references as `${…}`. */
export function shown(value: string): string {
  return eachPart(value, plainText);
}

/** Only the references of a value, which are names: what is around them is masked. */
export function mask(value: string): string {
  return shown(hide(value));
}

/**
 * The value of a variable. Masked is what its name calls a secret, unless it is a path or a command, and a token that is known by its prefix. All else may decide
 * what is run, and is shown however it looks: a program reads variables of any name.
 */
export function shownVariable(name: string, value: string): string {
  const power = powerOf(name);
  // Of a proxy with a password only that is masked: the place where traffic goes may look like anything.
  if (power === 'network') return shownAddress(value);
  if (power) return shown(value);
  if (isCredential(name, value)) return shownHeader(name, value);
  if (isData(value)) return eachPart(value, part => plainText(withoutNamed(part, isSecretNamed)));
  if (isRunnable(value)) return shown(value);
  return isSecretName(name) ? mask(value) : plainText(withoutKnownTokens(value, MASK));
}

/** An address, a connection string or JSON: they name what is secret in them. */
function isData(value: string): boolean {
  if (value.length > MAX_SEARCHED) return false;
  const text = value.replaceAll(new RegExp(REFERENCE, 'g'), '');
  if (ADDRESS.test(text)) return true;
  if (CONNECTION.test(text)) return !/[|&<>()$`'"\\]/.test(text);
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

const isSecretNamed = (name: string, value: string) =>
  isCredentialName(name) || (isSecretName(name) && !isRunnable(value.replace(/^"(.*)"$/s, '$1')));

/** The value of a header: masked is what is secret by its name or its shape. */
export function shownHeader(name: string, value: string): string {
  if (!isSecretName(name)) return maskShapes(value);
  const [scheme = ''] = SCHEME.exec(value) ?? [];
  return scheme + mask(value.slice(scheme.length));
}

/** An address: where it leads is shown, whatever it looks like; parameters that are secret by name, and passwords, are not. */
export function shownAddress(url: string): string {
  const masked = url
    .replace(PASSWORD, (_all, before: string, password: string) => before + hide(password))
    .replace(PARAMETER, (all, sign: string, name: string, value: string) =>
      saysSecret(name) ? `${sign}${name}=${hide(value)}` : all,
    );
  return shown(masked);
}

function maskShapes(value: string): string {
  return eachPart(value, part => plainText(part.length > MAX_SEARCHED ? part : withoutSecrets(part)));
}

function withoutSecrets(text: string): string {
  if (/^[\w+-]+={0,2}$/.test(text) && /\d/.test(text) && isRandom(text)) return MASK;
  return withoutNamed(withoutKnownTokens(text, MASK), isSecretName);
}

/** Without passwords of addresses, and values that a name before them calls secret. */
const withoutNamed = (text: string, isSecret: (name: string, value: string) => boolean) =>
  text
    .replace(PASSWORD, (_all, before: string) => before + MASK)
    .replace(NAMED, (all, name: string, sign: string, value: string) =>
      isSecret(name, value) ? name + sign + MASK : all,
    );

/** As `mask`, with the references still marked as such. */
const hide = (value: string) =>
  value
    .split(REFERENCE)
    .map((part, index) => (index % 2 === 0 ? part && MASK : `\0${part}`))
    .join('');

const plainText = (text: string) => exact(text.replace(/\$(?=\{)/g, '$$$$'));

/** What is between the references, changed; they themselves as `${…}`. */
function eachPart(value: string, change: (part: string) => string): string {
  return value
    .split(REFERENCE)
    .map((part, index) => (index % 2 === 0 ? change(part) : `$${exact(part)}`))
    .join('');
}
