import { canonicalJson, fingerprint } from '../../base/fingerprint';
import { exact } from '../../base/text';
import { argumentPairs } from '../settings/argumentPairs';
import type { InputDefinition } from '../settings/inputs';
import type { ServerEntry } from '../settings/schema';
import { isSocket } from '../settings/socketAddress';
import { fetchedBy, programsOf } from './runChain';
import { isMaskedOption, mask, shown, shownAddress, shownHeader, shownVariable } from './shownValues';

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
    | 'build';
  /** Name of the variable or header. */
  name?: string;
  /** Exact and visible, but secrets: see `shownVariable`. */
  text: string;
  /** Salted SHA-256 of the whole value. */
  hash: string;
}

/** Stands for a variable that the entry removes from the environment. */
export const REMOVED = '∅';
/** Enough to compare a field later. */
const MAX_KEPT = 2_000;
type SandboxField = Extract<ServerEntry, { type: 'stdio' }>['sandbox'];

const SECRET_OAUTH = /(^|\.)(clientSecret|privateKey|assertion)$/;

/**
 * What settings other than these change needs no consent: they neither start nor reach anything. Nor do roots need it, for
 * nothing but folders of the workspace is ever shared.
 */
function launchOf(entry: ServerEntry): Record<string, unknown> {
  const { enabled, start, timeouts, logLevel, roots, ...launch } = entry;
  if (!('dev' in launch)) return launch;
  // Of what its author does with it, only this is a command.
  const { dev, ...program } = launch;
  if (dev?.build === undefined) return program;
  return { ...program, build: dev.build, ...(dev.sandbox && { buildSandbox: dev.sandbox }) };
}

/**
 * SHA-256 of everything that would be launched: an entry of `resolveForReview`, and how its inputs are got. Salted, as it
 * may hold secrets.
 */
export function launchFingerprint(reviewed: ServerEntry, inputs: readonly InputDefinition[], salt: string): string {
  return fingerprint({ salt, launch: launchOf(reviewed), inputs });
}

const RELATIVE = /(^|=|^file:)\.{1,2}([\\/]|$)/;

/**
 * Whether the working folder influences which program runs: it is named by a relative path, or runs a file that its arguments
 * name. Package runners use a registry instead.
 */
export function runsByFolder(entry: ServerEntry): boolean {
  if (entry.type !== 'stdio') return false;
  const { command, args } = entry;
  if (/[\\/]/.test(command) && !/^([\\/]|[a-z]:)/i.test(command)) return true;
  if (args.some(argument => RELATIVE.test(argument))) return true;
  const programs = programsOf(command, args);
  if (programs.some(({ known }) => known?.kind === 'shell')) return true;
  const readsIt = programs.some(({ known }) => known && known.kind !== 'elsewhere');
  return readsIt && !programs.some(program => fetchedBy(program));
}

/** The sandbox rules, list by list, so that a change shows what differs. */
function sandboxParts(sandbox: SandboxField): [name: string | undefined, value: boolean | readonly string[]][] {
  if (sandbox === undefined) return [];
  const lists = typeof sandbox === 'object' ? Object.entries(sandbox) : [];
  // No list at all is the same as true.
  return lists.length > 0 ? lists : [[undefined, sandbox !== false]];
}

/** The OAuth settings. Those of the identity provider are listed separately, because one of them is secret. */
function oauthValues({ identityProvider = {}, ...others }: Record<string, unknown>): [name: string, value: unknown][] {
  const provider = Object.entries(Object(identityProvider));
  return [
    ...Object.entries(others),
    ...provider.map(([key, value]): [string, unknown] => [`identityProvider.${key}`, value]),
  ];
}

/**
 * The parts of a launch, in display order.
 * @param maxText characters of each that are kept; the hash covers all of it.
 */
export function launchFields(
  reviewed: ServerEntry,
  inputs: readonly InputDefinition[],
  salt: string,
  maxText = MAX_KEPT,
): LaunchField[] {
  const field = (kind: LaunchField['kind'], value: string | null, text: string, name?: string): LaunchField => ({
    kind,
    ...(name !== undefined && { name }),
    text: text.length > maxText ? `${text.slice(0, maxText)}…` : text,
    hash: fingerprint({ salt, value }),
  });
  const type = field('type', reviewed.type, reviewed.type);
  const asked = inputs.map(input => field('input', canonicalJson(input), inputText(input), input.id));
  if (reviewed.type !== 'stdio') {
    const { url, headers, oauth = {} } = reviewed;
    return [
      type,
      field('url', url, shownAddress(url)),
      ...Object.entries(headers).map(([name, value]) => field('header', value, shownHeader(name, value), name)),
      ...oauthValues(oauth).map(([name, value]) => {
        const text = typeof value === 'string' ? value : canonicalJson(value);
        return field('oauth', text, SECRET_OAUTH.test(name) ? mask(text) : shown(text), name);
      }),
      ...asked,
    ];
  }
  const { command, args, cwd, envFile, env, sandbox, dev } = reviewed;
  return [
    type,
    field('command', command, shown(command)),
    ...args.map((value, index) => field('argument', value, argumentText(args, index))),
    ...(cwd === undefined ? [] : [field('cwd', cwd, shown(cwd))]),
    ...(envFile === undefined ? [] : [field('envFile', envFile, shown(envFile))]),
    ...Object.entries(env).map(([name, value]) =>
      field('env', value, value === null ? REMOVED : shownVariable(name, value), name),
    ),
    ...sandboxParts(sandbox).map(([name, value]) => field('sandbox', canonicalJson(value), ruleText(value), name)),
    ...(dev?.build === undefined
      ? []
      : [
          field('build', dev.build, shown(dev.build)),
          ...sandboxParts(dev.sandbox).map(([name, value]) =>
            field('build', canonicalJson(value), ruleText(value), `sandbox${name === undefined ? '' : `.${name}`}`),
          ),
        ]),
    ...asked,
  ];
}

/**
 * The complete, unambiguous command line on one line. Words that are not plain are in double quotes, with `\"` and `\\`
 * inside. Variables that are resolved at launch are shown as `${…}`, the same literal text as `$${…}`.
 */
export function commandLine(command: string, args: readonly string[]): string {
  return [command, ...args].map(quoteWord).join(' ');
}

const ruleText = (value: boolean | readonly string[]) =>
  typeof value === 'object' ? value.map(quoteWord).join(' ') : String(value);

const quoteWord = (word: string) => quoted(shown(word));

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

/**
 * An argument as stored: values of options with secret names, and passwords in addresses, are masked. A review shows all of
 * it.
 */
function argumentText(args: readonly string[], index: number): string {
  const arg = args[index]!;
  const secret = argumentPairs(args, index).find(({ name, value }) => isMaskedOption(name, value));
  if (!secret) return arg.includes('://') ? shownAddress(arg) : shown(arg);
  return shown(arg.slice(0, arg.length - secret.value.length)) + mask(secret.value);
}

/** Whether traffic to this address is unencrypted. Unknown counts as unencrypted. */
export function isClearText(url: string): boolean {
  if (/^https:/i.test(url) || isSocket(url)) return false;
  if (!URL.canParse(url)) return true;
  const { protocol, hostname } = new URL(url);
  return protocol !== 'https:' && !/^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
