import type { Prompt } from '@modelcontextprotocol/client';
import { getOrInsert } from '../../../base/events';
import { normalized } from '../../../base/normalized';
import { type Phrase, phrase } from '../../../base/phrase';
import { didYouMean } from '../../../host/settings';

/** The parts of a server that naming needs. */
export interface PromptServer {
  readonly id: string;
  offers(kind: 'prompts'): readonly Prompt[];
}

interface NamedPrompt<S extends PromptServer = PromptServer> {
  readonly server: S;
  readonly prompt: Prompt;
}

type ResolvedPrompt<S extends PromptServer> =
  | (NamedPrompt<S> & { readonly kind: 'found' /** The text after the name. */; readonly rest: string })
  | { readonly kind: 'ambiguous'; readonly name: string; readonly candidates: readonly NamedPrompt<S>[] }
  | { readonly kind: 'unknown'; readonly name: string; readonly near: readonly NamedPrompt<S>[] };

/** Subcommands of the participant: the editor takes these words before a prompt gets them. */
export const RESERVED_NAMES: readonly string[] = [
  'prompts',
  'tools',
  'resources',
  'servers',
  'context',
  'profile',
  'help',
];

const MAX_NEAR = 5;
const MAX_COMPARED = 5_000;
/** Of a name as it is typed, in characters and words. */
const MAX_TYPED = 10_000;
const MAX_WORDS = 100;
const SHOWN_NAME = 60;

/**
 * The text to type in chat for a prompt: `/prompt`, or `/server.prompt` when another server has that name too. Words are joined
 * with `_`; where that is ambiguous, the names are in quotes. `resolvePrompt` finds exactly this prompt by it.
 */
export function slashName<S extends PromptServer>(server: S, prompt: { name: string }, all: readonly S[]): string {
  const { id } = server;
  const { name } = prompt;
  const forms = [name, slug(name), `${id}.${name}`, slug(`${id}.${name}`)].filter(
    form => /^\S+$/.test(form) && !/^["']/.test(form) && !RESERVED_NAMES.includes(form.toLowerCase()),
  );
  const found = forms.find(form => {
    const resolved = resolvePrompt(`/${form}`, all);
    return resolved.kind === 'found' && resolved.server === server && resolved.prompt.name === name;
  });
  return `/${found ?? `${quoted(id)}.${quoted(name)}`}`;
}

/**
 * The prompt that a chat request such as `/server.prompt key=value free text` names. Names may have spaces and any
 * characters: the longest name that the text starts with counts; `_` and `-` stand for spaces; `/"my prompt"` and
 * `/"my server"."my prompt"` are exact.
 */
export function resolvePrompt<S extends PromptServer>(text: string, servers: readonly S[]): ResolvedPrompt<S> {
  const body = text.trimStart().replace(/^\//, '');
  return resolveQuoted(body, servers) ?? resolvePlain(body, servers) ?? unknown(firstWord(body), servers);
}

function allPrompts<S extends PromptServer>(servers: readonly S[]): NamedPrompt<S>[] {
  return servers.flatMap(server => {
    const byName = new Map(server.offers('prompts').map(prompt => [prompt.name, prompt]));
    return [...byName.values()].map(prompt => ({ server, prompt }));
  });
}

function resolveQuoted<S extends PromptServer>(body: string, servers: readonly S[]): ResolvedPrompt<S> | undefined {
  const pattern = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/s;
  const parts: string[] = [];
  let rest = body;
  for (let match = pattern.exec(rest); match && parts.length < 2; match = pattern.exec(rest)) {
    parts.push((match[1] ?? match[2] ?? '').replace(/\\(.)/gs, '$1'));
    rest = rest.slice(match[0].length);
    if (rest.startsWith('.')) rest = rest.slice(1);
  }
  if (parts.length === 0) return undefined;
  const named = parts.join('.');
  if (parts.length === 2) {
    const exact = best(
      parts[1]!,
      servers.filter(({ id }) => id === parts[0]),
    ).filter(({ prompt }) => prompt.name === parts[1]);
    if (exact.length > 0) return resolution(exact, named, rest);
  }
  const match = best(named, servers);
  return match.length > 0 ? resolution(match, named, rest) : unknown(named, servers);
}

function resolvePlain<S extends PromptServer>(body: string, servers: readonly S[]): ResolvedPrompt<S> | undefined {
  const head = body.slice(0, MAX_TYPED + 1);
  const ends = [...head.matchAll(/\s/g)].slice(0, MAX_WORDS).map(({ index }) => index);
  if (ends.length < MAX_WORDS && head.length === body.length) ends.push(body.length);
  for (const end of ends.reverse()) {
    const name = body.slice(0, end);
    const match = /\S$/.test(name) ? best(name, servers) : [];
    if (match.length > 0) return resolution(match, name, body.slice(end));
  }
  return undefined;
}

type Form = (text: string) => string;

/** The prompts that match the name best: exactly, else ignoring case, else as a slug. */
function best<S extends PromptServer>(name: string, servers: readonly S[]): NamedPrompt<S>[] {
  for (const form of [exactly, fold, slug]) {
    const wanted = form(name);
    const match = servers.flatMap(server =>
      (namesOf(server, form).get(wanted) ?? []).map(prompt => ({ server, prompt })),
    );
    if (match.length > 0) return match;
  }
  return [];
}

const names = new WeakMap<readonly Prompt[], Map<Form, ReadonlyMap<string, readonly Prompt[]>>>();

/** The prompts of a server by their names in a form, alone and behind its own. Made once for each list. */
function namesOf(server: PromptServer, form: Form): ReadonlyMap<string, readonly Prompt[]> {
  const prompts = server.offers('prompts');
  const forms = getOrInsert(names, prompts, () => new Map());
  return getOrInsert(forms, form, () => {
    const byName = new Map<string, Prompt[]>();
    for (const prompt of new Map(prompts.map(one => [one.name, one])).values())
      for (const name of new Set([form(prompt.name), form(`${server.id}.${prompt.name}`)]))
        getOrInsert(byName, name, () => []).push(prompt);
    return byName;
  });
}

function resolution<S extends PromptServer>(
  match: readonly NamedPrompt<S>[],
  name: string,
  rest: string,
): ResolvedPrompt<S> {
  const [first] = match;
  return first && match.length === 1
    ? { kind: 'found', ...first, rest: rest.trim() }
    : { kind: 'ambiguous', name, candidates: match };
}

function unknown<S extends PromptServer>(name: string, servers: readonly S[]): ResolvedPrompt<S> {
  const prompts = allPrompts(servers).slice(0, MAX_COMPARED);
  const wanted = slug(name).slice(0, SHOWN_NAME);
  const forms = ({ server, prompt }: NamedPrompt<S>) =>
    [prompt.name, `${server.id}.${prompt.name}`, prompt.title ?? prompt.name].map(slug);
  const close = prompts.filter(prompt => didYouMean(wanted, forms(prompt)) !== undefined);
  const similar = prompts.filter(
    prompt => wanted.length > 2 && forms(prompt).some(form => form.includes(wanted) || wanted.includes(`.${form}`)),
  );
  return {
    kind: 'unknown',
    name: name.slice(0, SHOWN_NAME),
    near: [...new Set([...close, ...similar])].slice(0, MAX_NEAR),
  };
}

const firstWord = (body: string): string => /^\S*/.exec(body)![0];
const exactly = (text: string): string => text;
const fold = (text: string): string => normalized(text).toLowerCase();
const slug = (text: string): string =>
  fold(text)
    .trim()
    .replace(/[\s_-]+/g, '_');
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

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

/** Arguments as text, which `parseInlineArguments` reads back byte for byte. */
export function formatInlineArguments(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${/^[^\s="'\\]+$/.test(name) ? name : quoted(name)}=${quoted(value)}`)
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

/** Where a sticky pattern that starts at `from` ends. */
function skip(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
