import { attempt } from './errors';

/** Whether a value read from JSON is an object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object by a name from elsewhere, which may be "constructor". Undefined: there is none, or no object. */
export function ownMember<T>(value: Readonly<Record<string, T>>, name: string): T | undefined;
export function ownMember(value: unknown, name: string): unknown;
export function ownMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A place in a value as it would be written in code: `list[1].name`. */
export const placeOf = (path: readonly string[]): string =>
  path.reduce((place, name) => (/^\d+$/.test(name) ? `${place}[${name}]` : place ? `${place}.${name}` : name), '');

/** A text read from JSON; empty if it is none. */
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Whether a text begins like an object or a list in JSON. */
export const looksLikeJson = (text: string): boolean => /^\s*[[{]/.test(text);

/** The texts of a list read from JSON; none if it is no list. */
export const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];

/** The objects of a list read from JSON; none if it is no list. */
export const objectsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The object without members that are null, which servers write for what is absent; the same object if there are none. */
export function withoutNulls<T extends object>(value: T): T {
  const members = Object.entries(value);
  const present = members.filter(([, member]) => member !== null);
  return present.length === members.length ? value : (Object.fromEntries(present) as T);
}

/** How long a value is, roughly, in characters of JSON. */
export function lengthOf(value: unknown): number {
  let length = 0;
  const open = [value];
  while (open.length > 0) {
    const one = open.pop();
    length += 8;
    if (typeof one === 'string') length += one.length;
    else if (Array.isArray(one)) for (const item of one) open.push(item);
    else if (isObject(one)) for (const name in one) open.push(name, one[name]);
  }
  return length;
}

/** JSON in lines, with two spaces for each level; on one line where these would be most of the text, as in deep data. */
export const indentedJson = (value: unknown): string =>
  JSON.stringify(value, undefined, isFlat(value) ? 2 : undefined) ?? 'null';

/** Of spaces, which a value of any shape may have, and for each character of the value. */
const FREE_SPACES = 20_000;
const MAX_SPACES = 2;

function isFlat(value: unknown): boolean {
  const { spaces, length } = measured(value);
  return spaces <= FREE_SPACES + MAX_SPACES * length;
}

/** How long the JSON of a value is in lines with two spaces for each level, in characters, within a few for each value. */
export function indentedLength(value: unknown): number {
  const { spaces, length } = measured(value);
  return spaces + length;
}

function measured(value: unknown): { spaces: number; length: number } {
  let [spaces, length] = [0, 0];
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const inner: unknown[] = [];
    spaces += 2 * depth * level.length;
    length += 8 * level.length;
    for (const one of level) {
      if (typeof one === 'string') length += one.length;
      else if (isObject(one) || Array.isArray(one)) for (const item of Object.values(one)) inner.push(item);
    }
    level = inner;
  }
  return { spaces, length };
}

/** The value in a text of JSON; undefined for any other text. */
export const parsedJson = (text: string): unknown => attempt(() => JSON.parse(text));

/** More levels than any file of servers has; a parser that calls itself for each level survives them. */
export const MAX_LEVELS = 500;

type Path = readonly (string | number)[];

/**
 * A copy of a value with every text in it replaced. Names of members stay.
 * @throws RangeError when nested deeper than 500 levels: V8 ends the process if `replace` compiles a regular expression when the
 *   stack is nearly full.
 */
export function mapTexts<T>(value: T, replace: (text: string, path: Path) => string, path?: Path): T;
export function mapTexts(value: unknown, replace: (text: string, path: Path) => string, path: Path = []): unknown {
  if (typeof value === 'string') return replace(value, path);
  if (path.length > MAX_LEVELS) throw new RangeError(`The value is nested deeper than ${MAX_LEVELS} levels`);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, replace, [...path, index]));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, replace, [...path, key])]));
}

/** Whether data is nested in more than this many levels of objects and lists. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1));
}

/** What begins a line that opens levels of lists in YAML: `- - - x`. */
const OPENING = /[ \t]*(?:[-?:][ \t]+)*/y;

/** Whether a text of JSON, YAML or TOML opens more than 500 levels, by brackets or by dashes. Linear. */
export function nestsTooDeeply(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    if (at === 0 || text[at - 1] === '\n') {
      OPENING.lastIndex = at;
      const opened = OPENING.exec(text)?.[0] ?? '';
      if (opened.length > MAX_LEVELS && opened.replace(/[ \t]+/g, '').length > MAX_LEVELS) return true;
      at += opened.length;
    }
    const character = text[at];
    if (character === '"') {
      // To its end, or that of the line.
      for (at++; at < text.length && text[at] !== '"' && text[at] !== '\n'; at++) if (text[at] === '\\') at++;
      if (text[at] === '\n') at--;
    } else if (character === '[' || character === '{') level++;
    else if (character === ']' || character === '}') level = Math.max(0, level - 1);
    if (level > MAX_LEVELS) return true;
  }
  return false;
}
