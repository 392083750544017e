import { isObject } from '../../../base/json';
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

/** A server that may be added to settings. */
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

export type Json = Record<string, unknown>;

/** An input whose value is asked for and kept in the secret storage. */
export function promptFor(id: string, description: string, { password = true } = {}): DraftInput {
  return { type: 'promptString', id, description, password };
}

/** A copy of a value with every text in it, at whatever depth, replaced. */
export function mapTexts<T>(value: T, replace: (text: string) => string): T;
export function mapTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map(item => mapTexts(item, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, replace)]));
}

/** The ids of the inputs that a value names, wherever it does. */
export function inputIdsIn(value: unknown): Set<string> {
  const ids = new Set<string>();
  mapTexts(value, text => {
    for (const [, id = ''] of text.matchAll(/\$\{input:([^{}]*)\}/g)) ids.add(id);
    return text;
  });
  return ids;
}

/** Variables as in a review: marked by a NUL (`resolveForReview`), to distinguish them from plain text. */
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
