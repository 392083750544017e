import { canonicalJson } from '../../../base/fingerprint';
import { isObject, mapTexts } from '../../../base/json';
import { knownProgram, programName } from '../../../host/launch';
import { freeId } from '../../settings/core';

/** A server as written into `mcpHost.servers`: our dialect, variables unresolved, without defaults. */
export type DraftEntry = Record<string, unknown>;

/** An input as written into `mcpHost.inputs`. */
export interface DraftInput {
  id: string;
  type: string;
  [key: string]: unknown;
}

/** Something that a person is to know of a server that was taken over from elsewhere. `what` is a name or a variable. */
export interface DraftNote {
  kind: 'leftOut' | 'unknownVariable';
  what: string;
}

export interface ServerDraft {
  name: string;
  entry: DraftEntry;
  /** Those that `entry` names. */
  inputs: readonly DraftInput[];
  /** Values of inputs, by id: for the secret storage, never for a file. */
  values: ReadonlyMap<string, string>;
  notes: readonly DraftNote[];
  /** Values of inputs, by id, that the person has entered already: not to be shown again. */
  answers?: ReadonlyMap<string, string>;
}

/** A draft that brings no values. */
export const draftOf = (
  entry: DraftEntry,
  name = nameOfServer(entry),
  more?: Partial<Pick<ServerDraft, 'answers' | 'inputs' | 'notes'>>,
): ServerDraft => ({ name: fitName(name), entry, inputs: [], values: new Map(), notes: [], ...more });

export type Json = Record<string, unknown>;

/** An input whose value is asked for and kept in the secret storage. */
export function promptFor(id: string, description: string, { password = true } = {}): DraftInput {
  return { type: 'promptString', id, description, password };
}

export function inputIdsIn(value: unknown): Set<string> {
  const ids = new Set<string>();
  mapTexts(value, text => {
    for (const [, id = ''] of text.matchAll(/\$\{input:([^{}]*)\}/g)) ids.add(id);
    return text;
  });
  return ids;
}

/** Variables as in a review: marked by a NUL (`forReview`), to distinguish them from plain text. */
export const marked = (text: string): string =>
  text.replace(/(\$?)\$(\{[^{}]*\})/g, (_all, dollar: string, name: string) => (dollar ? `$${name}` : `\0${name}`));

/** The value with ids of inputs changed, wherever it names them. */
export const withInputIds = <T>(value: T, ids: ReadonlyMap<string, string>): T =>
  mapTexts(value, text =>
    text.replace(/\$\{input:([^{}]*)\}/g, (all, id: string) => (ids.has(id) ? `\${input:${ids.get(id)}}` : all)),
  );

/** An entry's pairs: variables of a program, headers of an address. Without removed variables. */
export function pairsOf(entry: DraftEntry): Map<string, string> {
  const pairs = Object.entries(entry[keyOfPairs(entry)] ?? {}).filter(([, value]) => value !== null);
  return new Map(pairs.map(([name, value]) => [name, String(value)]));
}

/** The entry with these pairs in place of its own. A variable that it removes stays removed, unless it has a value now. */
export function withPairs(entry: DraftEntry, pairs: ReadonlyMap<string, string>): DraftEntry {
  const { [keyOfPairs(entry)]: before, ...rest } = entry;
  const removed = Object.entries(before ?? {}).filter(([, value]) => value === null);
  const all = Object.fromEntries([...removed, ...pairs]);
  return Object.keys(all).length > 0 ? { ...rest, [keyOfPairs(entry)]: all } : rest;
}

const keyOfPairs = ({ command }: DraftEntry) => (command === undefined ? 'headers' : 'env');

/** A name that settings take, made of what another host or a registry calls a server. */
export function fitName(name: string): string {
  const fit = name
    .replace(/[/\\]+/g, '-')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\p{NChar}\u2800]+/gu, '')
    .replace(/\s+/g, ' ')
    .slice(0, 100)
    .trim();
  return fit === '' || fit === '__proto__' ? 'server' : fit;
}

export interface ExistingSettings {
  servers: Readonly<Record<string, unknown>>;
  inputs: readonly unknown[];
  /** Values of inputs by id, where known. */
  values?: ReadonlyMap<string, string>;
}

export interface SettingsAddition {
  servers: Record<string, DraftEntry>;
  inputs: DraftInput[];
  /** Values of inputs by id, for the secret storage. */
  values: Map<string, string>;
}

/** The place of a draft in settings: under its name, under a new one, or none because it exists. */
type Placement = { kind: 'new' | 'renamed'; name: string } | { kind: 'there'; name: string };

/** Where a draft would go, besides what is there. */
export function placementOf(draft: ServerDraft, { servers, values }: Omit<ExistingSettings, 'inputs'>): Placement {
  const taken = Object.entries(servers).find(([name, entry]) => isCopy(draft, name, entry, values));
  if (taken) return { kind: 'there', name: taken[0] };
  if (!Object.hasOwn(servers, draft.name)) return { kind: 'new', name: draft.name };
  for (let n = 2; ; n++) {
    const name = `${draft.name.slice(0, 95)}-${n}`;
    if (!Object.hasOwn(servers, name)) return { kind: 'renamed', name };
  }
}

/** Under its name, or the name that an earlier import had to give it. */
function isCopy(draft: ServerDraft, name: string, entry: unknown, values: ExistingSettings['values']): boolean {
  if (name !== draft.name && !(name.startsWith(`${draft.name.slice(0, 95)}-`) && /-\d+$/.test(name))) return false;
  return isObject(entry) && sameServer(draft, { entry, ...(values && { values }) });
}

/**
 * Whether another entry runs the same as a draft, with every value that the draft brings, whatever inputs are called in
 * them and whether they are enabled. A value that the draft does not bring is asked for, and may be any.
 */
export function sameServer(
  draft: Pick<ServerDraft, 'entry' | 'values'>,
  other: Pick<ServerDraft, 'entry'> & Partial<Pick<ServerDraft, 'values'>>,
): boolean {
  const brought = new Set(draft.values.values());
  const theirs = [...(other.values ?? [])].filter(([, value]) => brought.has(value));
  return comparable(draft.entry, draft.values) === comparable(other.entry, new Map(theirs));
}

function comparable({ enabled: _, ...entry }: DraftEntry, values: ReadonlyMap<string, string>): string {
  const { args, env, type, ...rest } = mapTexts(entry, text =>
    text.replace(/\$\{input:([^{}]*)\}/g, (_all, id: string) => values.get(id) ?? '${input}'),
  );
  const filled = { ...(Array.isArray(args) && args.length > 0 && { args }), ...(isObject(env) && { env }) };
  return canonicalJson({ ...rest, ...filled, type: type ?? (rest.command === undefined ? 'http' : 'stdio') });
}

/** Plans the addition of all drafts to existing settings: names and ids of inputs that are taken are changed. */
export function planAddition(drafts: readonly ServerDraft[], existing: ExistingSettings): SettingsAddition {
  const addition: SettingsAddition = { servers: {}, inputs: [], values: new Map() };
  const inputs = new Map(
    existing.inputs.filter(isObject).map(input => [String(input.id), input as Record<string, unknown>]),
  );
  for (const draft of drafts) {
    const placement = placementOf(draft, {
      servers: { ...existing.servers, ...addition.servers },
      values: new Map([...(existing.values ?? []), ...addition.values]),
    });
    if (placement.kind === 'there') continue;
    const ids = new Map<string, string>();
    // One that the entry does not name any more would stand in settings without having been reviewed.
    const named = inputIdsIn(draft.entry);
    for (const input of draft.inputs.filter(({ id }) => named.has(id))) {
      const present = inputs.get(input.id);
      const value = draft.values.get(input.id);
      // One with a value of its own is never shared: the other's value would be lost.
      const isShared = present !== undefined && value === undefined && canonicalJson(present) === canonicalJson(input);
      const id = isShared ? input.id : freeId(input.id, inputs);
      ids.set(input.id, id);
      if (isShared) continue;
      inputs.set(id, { ...input, id });
      addition.inputs.push({ ...input, id });
      if (value !== undefined) addition.values.set(id, value);
    }
    addition.servers[placement.name] = withInputIds(draft.entry, ids);
  }
  return addition;
}

/** Words after a launcher, which do not identify what is run. */
const COMMANDS = new Set(['run', 'dlx', 'exec', 'tool', 'x', 'container', '/c', '--', 'mcp-remote', 'supergateway']);
/** Options of those programs that are followed by a value. */
const WITH_VALUE =
  /^(-e|-v|-p|-w|-u|-l|-r|--(env|volume|mount|name|publish|network|net|env-file|workdir|entrypoint|user|platform|pull|add-host|label|memory|cpus|gpus|device|import|require|loader|with|python|index-url|extra-index-url|transport|header))$/;
/** Their value is the folder of a program. */
const FOLDER = /^--(directory|project|cwd|prefix)$/;
/** Names that half of all servers have for a file, a folder or a package. */
const COMMON =
  /^(index|main|__main__|server|app|cli|start|run|stdio|sse|http|mcp|mcp[-_]server|server[-_]mcp|bin|dist|build|out|output|lib|libs|src|source|target|release|debug|packages|node_modules|site-packages|cjs|esm|js|py|python|node|typescript|\.venv|venv|scripts|latest|current)$/i;

const PATH = /^(?:[\\/~]|\.{1,2}[\\/]|[A-Za-z]:[\\/])/;
/** With spaces only in its folders: what has them elsewhere is a line for a shell. */
const isPath = (word: string) => PATH.test(word) && /[\\/]./.test(word.split(/\s/).at(-1) ?? '');

/** A name for what has none: of its package, its program or its host. */
export function nameOfServer({ command, args, url, cwd }: Json): string {
  if (typeof url === 'string' && URL.canParse(url)) return fitName(nameOfAddress(new URL(url)));
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(word => typeof word === 'string');
  let folder = typeof cwd === 'string' ? cwd : undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [, option, value] = /^(--[\w-]+)=(.*)$/.exec(word) ?? [];
    if (FOLDER.test(option ?? word)) folder = value ?? words[++at];
    else if (WITH_VALUE.test(word)) at++;
    else if (
      (!/^-|\s/.test(word) || isPath(word)) &&
      !COMMANDS.has(word.replace(/(?<!^)@.*/s, '')) &&
      !isLauncher(word)
    ) {
      if (/^https?:\/\//i.test(word) && URL.canParse(word)) return fitName(nameOfAddress(new URL(word)));
      const isFile = !/[\\/]/.test(word.replace(/^\.[\\/]/, '')) && COMMON.test(withoutExtension(lastPart(word)));
      return fitName(nameOfPackage(isFile && folder !== undefined ? folder : word));
    }
  }
  return fitName(nameOfPackage(folder ?? words.findLast(isLauncher) ?? words[0] ?? 'server'));
}

/**
 * The common name of a package, an image or a script: without scope, version, tag and generic parts. A meaningless name is
 * replaced by the folder or scope that it is in: `server-x/dist/index.js` is `x`.
 */
export function nameOfPackage(specifier: string): string {
  const parts = specifier
    .split(/[\\/]/)
    .map(part =>
      withoutExtension(part.replace(/(?<!^)(@|==|\[|#).*/s, '').replace(/^(git\+https?|github|npm|file|jsr):/, '')),
    )
    .filter(part => part !== '' && part !== '.' && part !== '..' && !/^[A-Za-z]:$/.test(part));
  const telling = parts.findLast(part => !COMMON.test(part)) ?? parts.at(-1) ?? specifier;
  return briefly(telling.replace(/^@/, '')) || specifier;
}

/** The first distinctive part of a host name: for `https://mcp.example.com/mcp` it is `example`. */
function nameOfAddress({ hostname, port, protocol, pathname }: URL): string {
  if (hostname === '') return nameOfPackage(decodeURI(pathname)) || protocol;
  if (/^[\d.]+$|^\[|^localhost$/.test(hostname)) return port === '' ? hostname : `${hostname}-${port}`;
  const labels = hostname.split('.');
  const telling = labels.slice(0, -1).find(label => !/^(mcp|mcp-server|www|api|app|server|sse)$/.test(label));
  return briefly(telling ?? labels[0]!);
}

/** Without what says only that it is a server of MCP. */
function briefly(name: string): string {
  const brief = name
    .replace(/^(mcp[-_]server|server[-_]mcp|server|mcp)[-_](?=.)/i, '')
    .replace(/(?<=.)[-_](mcp[-_]server|server[-_]mcp|mcp)$/i, '');
  return COMMON.test(brief) ? name : brief;
}

/** Whether a program only launches others, and so does not identify what is run. `mcp/time` is an image, not a program's path. */
const isLauncher = (word: string) =>
  (!/[\\/]/.test(word) || /^([\\/]|[A-Za-z]:)/.test(word)) && knownProgram(programName(word)) !== undefined;

const lastPart = (path: string) => path.split(/[\\/]/).at(-1) ?? path;
const withoutExtension = (name: string) =>
  name.replace(/(?<=.)(:[\w.-]+|\.(js|mjs|cjs|ts|mts|py|jar|dll|exe|cmd|bat|sh|git|sock))$/i, '');
