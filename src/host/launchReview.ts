import { packageRunner } from './packageRunner';
import { canonicalJson, fingerprint } from './settings/fingerprint';
import type { InputDefinition } from './settings/inputs';
import type { ServerEntry } from './settings/schema';
import { exact } from './text';
import { isSocket } from './transport/socketAddress';

/** One part of what would be launched, fit to be shown and kept: without values that may be secret. */
export interface LaunchField {
  kind: 'type' | 'command' | 'argument' | 'cwd' | 'envFile' | 'env' | 'url' | 'header' | 'oauth' | 'input';
  /** Of the variable or header. */
  name?: string;
  /** Exact and visible, but values of variables and headers, and what looks like a secret, masked. */
  text: string;
  /** Salted SHA-256 of the whole value. */
  hash: string;
}

export const MASK = '•••';
const REMOVED = '∅';
/** Enough to compare a field later. */
const MAX_KEPT = 2_000;
const SECRET = '[\\w-]*(?:key|token|secret|passw|auth|credential)[\\w-]*';
const SECRET_FLAG = new RegExp(`^--?${SECRET}$`, 'i');
const SECRET_ASSIGNED = new RegExp(`^(-{0,2}${SECRET}=)(.+)$`, 'is');
const SECRET_PARAMETER = new RegExp(`([?&]${SECRET}=)([^&#]+)`, 'gi');
const SECRET_OAUTH = /^(clientSecret|privateKey|assertion)$/;

/**
 * What settings other than these change needs no consent: they neither start nor reach anything. Nor do roots need it, for
 * nothing but folders of the workspace is ever shared.
 */
function launchOf(entry: ServerEntry): Record<string, unknown> {
  const { enabled, start, timeouts, logLevel, roots, ...launch } = entry;
  return launch;
}

/**
 * SHA-256 of everything that would be launched: an entry of `resolveForReview`, and how its inputs are got. Salted, as it
 * may hold secrets.
 */
export function launchFingerprint(reviewed: ServerEntry, inputs: readonly InputDefinition[], salt: string): string {
  return fingerprint({ salt, launch: launchOf(reviewed), inputs });
}

const SHELL = /^(sh|bash|zsh|dash|fish|cmd|powershell|pwsh)$/;
/** What these run is told by their arguments, and looked for in the folder they run in. */
const RUNS_A_FILE =
  /^(node|deno|bun|tsx|ts-node|npm|pnpm|yarn|python[\d.]*|py|uv|poetry|pdm|hatch|ruby|bundle|perl|php|java|dotnet|go|cargo|make|just|task|docker-compose|env|sudo)$/;
const RELATIVE = /(^|=|^file:)\.{1,2}([\\/]|$)/;

/**
 * Whether the folder that a program runs in has a say in which program it is: it is named by a relative path, or runs what
 * its arguments name. A runner of packages takes them from a registry.
 */
export function runsByFolder(entry: ServerEntry): boolean {
  if (entry.type !== 'stdio') return false;
  const { command, args } = entry;
  if (/[\\/]/.test(command) && !/^([\\/]|[a-z]:)/i.test(command)) return true;
  const file = command.slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
  const name = file.toLowerCase().replace(/\.(exe|cmd|bat)$/, '');
  if (SHELL.test(name) || args.some(argument => RELATIVE.test(argument))) return true;
  return RUNS_A_FILE.test(name) && !packageRunner(command, args);
}

/**
 * What would be launched, part by part, in the order in which it is shown.
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
    const address = url.replace(SECRET_PARAMETER, (_all, name: string, value: string) => name + mask(value));
    return [
      type,
      field('url', url, shown(address)),
      ...Object.entries(headers).map(([name, value]) => field('header', value, mask(value), name)),
      ...Object.entries(oauth).map(([name, value]) => {
        const text = typeof value === 'string' ? value : canonicalJson(value);
        return field('oauth', text, SECRET_OAUTH.test(name) ? mask(text) : shown(text), name);
      }),
      ...asked,
    ];
  }
  const { command, args, cwd, envFile, env } = reviewed;
  return [
    type,
    field('command', command, shown(command)),
    ...args.map((value, index) => field('argument', value, maskArgument(value, args[index - 1]))),
    ...(cwd === undefined ? [] : [field('cwd', cwd, shown(cwd))]),
    ...(envFile === undefined ? [] : [field('envFile', envFile, shown(envFile))]),
    ...Object.entries(env).map(([name, value]) => field('env', value, value === null ? REMOVED : mask(value), name)),
    ...asked,
  ];
}

/**
 * The command line on one line, whole and without doubt: what is not a plain word is in double quotes, with `\"` and `\\`
 * in them. Variables that are resolved at launch stand as `${…}`, the same text in an argument as `$${…}`.
 */
export function commandLine(command: string, args: readonly string[]): string {
  return [command, ...args].map(quoteWord).join(' ');
}

function quoteWord(word: string): string {
  const text = shown(word);
  return /^[\w@%+=:,./\\~${}-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** A value as a person reads it: hidden characters visible, references as `${…}`. */
export function shown(value: string): string {
  return value
    .split(/\0(\{[^{}]*\})/)
    .map((part, index) => (index % 2 === 0 ? exact(part.replace(/\$(?=\{)/g, '$$$$')) : `$${exact(part)}`))
    .join('');
}

/** Only the references of a value, which are names: what is around them is masked. */
export function mask(value: string): string {
  return value
    .split(/\0(\{[^{}]*\})/)
    .map((part, index) => (index % 2 === 0 ? part && MASK : `$${exact(part)}`))
    .join('');
}

/** What a person reads of an input: a command of the editor is run to get it. */
function inputText(input: InputDefinition): string {
  if (input.type !== 'command') return input.type;
  const args = input.args === undefined ? '' : ` ${exact(canonicalJson(input.args))}`;
  return `command ${exact(input.command)}${args}`;
}

function maskArgument(value: string, before: string | undefined): string {
  if (before !== undefined && SECRET_FLAG.test(before) && !value.startsWith('-')) return mask(value);
  const assigned = SECRET_ASSIGNED.exec(value);
  return assigned ? shown(assigned[1]!) + mask(assigned[2]!) : shown(value);
}

/** Whether everything sent to this address can be read and changed on its way. What cannot be told counts as such. */
export function isClearText(url: string): boolean {
  if (/^https:/i.test(url) || isSocket(url)) return false;
  if (!URL.canParse(url)) return true;
  const { protocol, hostname } = new URL(url);
  return protocol !== 'https:' && !/^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
