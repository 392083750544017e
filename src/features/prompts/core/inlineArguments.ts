import { type Phrase, phrase } from '../../../base/phrase';

/** The arguments that were given with a slash command. */
interface InlineArguments {
  /** By argument; also empty ones, as `name=` gives. */
  values: Record<string, string>;
  /** Text that no argument was left for. */
  rest?: string;
  /** The problem with the text, as a sentence. */
  problem?: Phrase;
}

/**
 * Reads `key=value key="with \"quotes\" and spaces" free text`. Only known names count, and only at the start of a word, so
 * that a URL or code keeps its `=`. In quotes, `\` stands before a quote or a `\`, and is itself anywhere else. The free
 * text fills the first argument that is not given by name.
 */
export function parseInlineArguments(text: string, argumentNames: readonly string[]): InlineArguments {
  const values: Record<string, string> = Object.create(null);
  const longestFirst = [...argumentNames].sort((a, b) => b.length - a.length);
  const free: string[] = [];
  let freeFrom = 0;
  let at = 0;
  while (at < text.length) {
    const assigned = assignment(text, at, longestFirst);
    if (!assigned) {
      at = nextWord(text, at);
      continue;
    }
    const { name, value, end } = assigned;
    if (value === undefined)
      return { values: { ...values }, problem: phrase('The value of "{0}" has no closing quotation mark.', name) };
    free.push(text.slice(freeFrom, at));
    values[name] = value;
    at = nextStart(text, end);
    freeFrom = end;
  }
  free.push(text.slice(freeFrom));
  const left = free
    .map(part => part.trim())
    .filter(Boolean)
    .join(' ');
  const first = argumentNames.find(name => !Object.hasOwn(values, name));
  if (left && first !== undefined) values[first] = unquoted(left);
  return { values: { ...values }, ...(left && first === undefined && { rest: left }) };
}

/** The same arguments as text that `parseInlineArguments` reads back byte for byte. */
export function formatInlineArguments(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${/^[^\s="'\\]+$/.test(name) ? name : quote(name)}=${quote(value)}`)
    .join(' ');
}

interface Assignment {
  name: string;
  /** The value; undefined: its quote is not closed. */
  value: string | undefined;
  end: number;
}

function assignment(text: string, at: number, names: readonly string[]): Assignment | undefined {
  const key = keyAt(text, at, names);
  if (!key) return undefined;
  const from = key.end;
  if (text[from] === '"' || text[from] === "'") {
    const string = quotedAt(text, from);
    return { name: key.name, value: string?.value, end: string?.end ?? text.length };
  }
  const end = skip(text, from, /\S*/y);
  return { name: key.name, value: text.slice(from, end), end };
}

/** A known name followed by `=`, literally or in quotes; else ignoring case. `names`: longest first. */
function keyAt(text: string, at: number, names: readonly string[]): { name: string; end: number } | undefined {
  const string = text[at] === '"' || text[at] === "'" ? quotedAt(text, at) : undefined;
  if (string && text[string.end] === '=' && names.includes(string.value)) {
    return { name: string.value, end: string.end + 1 };
  }
  const exact = names.find(name => name && text.startsWith(`${name}=`, at));
  const lower = (name: string) => text.slice(at, at + name.length).toLowerCase() === name.toLowerCase();
  const found = exact ?? names.find(name => name && text[at + name.length] === '=' && lower(name));
  return found === undefined ? undefined : { name: found, end: at + found.length + 1 };
}

/** The string in quotes that starts at `at`. */
function quotedAt(text: string, at: number): { value: string; end: number } | undefined {
  const mark = text[at]!;
  let value = '';
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i]!;
    const next = text[i + 1];
    if (character === mark) return { value, end: i + 1 };
    const escapes = character === '\\' && (next === mark || next === '\\');
    value += escapes ? next : character;
    if (escapes) i++;
  }
  return undefined;
}

/** Free text that is one string in quotes is what stands in them. */
function unquoted(text: string): string {
  const string = text[0] === '"' || text[0] === "'" ? quotedAt(text, 0) : undefined;
  return string?.end === text.length ? string.value : text;
}

const nextStart = (text: string, from: number): number => skip(text, from, /\s*/y);
const nextWord = (text: string, from: number): number => nextStart(text, skip(text, from, /\S*/y));
const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Where a sticky pattern that starts at `from` ends. */
function skip(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
