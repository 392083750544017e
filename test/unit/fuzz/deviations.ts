import * as fs from 'node:fs';
import fc from 'fast-check';
import { isObject } from '../../../src/base/json';
import { bare } from '../../../src/host/reading/carried';
import { inRepository } from '../../setup/paths';

/** A valid answer of a real server, with long texts and lists cut short. */
interface RecordedAnswer {
  /** Package and version. */
  readonly server: string;
  readonly method: string;
  readonly result: Readonly<Record<string, unknown>>;
}

/** An answer over HTTP, changed as servers change it. */
export interface Deviation {
  readonly method: string;
  readonly result: unknown;
  readonly type: string;
  readonly body: (id: unknown) => string;
  /** What a person or model has to get of it. */
  readonly texts: readonly string[];
}

export const RECORDED: readonly RecordedAnswer[] = fs
  .readFileSync(inRepository('test/unit/fuzz/recorded.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line));

type Path = readonly (string | number)[];

/** Parts of an answer that are data of the server, whose form is its own. */
const DATA = new Set(['inputSchema', 'outputSchema', 'structuredContent', '_meta', 'experimental', 'extensions']);

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const at = [...path, Array.isArray(value) ? Number(name) : name];
    return [at, ...(DATA.has(name) ? [] : pathsIn(part, at))];
  });
}

type Change = (value: unknown, name: string | number) => { readonly name?: string; readonly value?: unknown };

const snake = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
const to =
  (value: unknown): Change =>
  () => ({ value });
const EXTRA: readonly unknown[] = [null, 'odd', 5, {}, [], { type: 'widget', id: 1 }, { type: 'error', text: 'odd' }];

/** What servers do to one part. */
const CHANGES: readonly Change[] = [
  () => ({}),
  to(null),
  to(5),
  to(true),
  to(''),
  to({}),
  to([]),
  value => ({ value: [value] }),
  value => ({ value: Array.isArray(value) ? value[0] : [value] }),
  (value, name) => ({ value, name: snake(String(name)) }),
  (value, name) => ({ value, name: String(name)[0]!.toUpperCase() + String(name).slice(1) }),
];

/** What they do to a list besides. */
const MORE = EXTRA.map(
  (extra): Change =>
    value => ({ value: [...(value as readonly unknown[]), extra] }),
);

function changed(value: unknown, [name, ...rest]: Path, change: Change): unknown {
  if (name === undefined || typeof value !== 'object' || value === null) return value;
  const part = memberOf(value, name);
  const made = rest.length > 0 ? { value: changed(part, rest, change) } : change(part, name);
  if (Array.isArray(value))
    return value.flatMap((one, at) => (at === name ? ('value' in made ? [made.value] : []) : [one]));
  // The place among the other members stays.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      key !== name ? [[key, one]] : 'value' in made ? [[('name' in made && made.name) || key, made.value]] : [],
    ),
  );
}

const memberOf = (value: unknown, name: string | number) => (value as Record<string, unknown>)[name];

type Framing = Pick<Deviation, 'type' | 'body'>;

const JSON_TYPE = 'application/json';
const STREAM = 'text/event-stream';

/** The ways in which an answer travels; the first two are as the specification has them. */
function framings(result: unknown): readonly Framing[] {
  const json = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result });
  const event = (id: unknown) => `event: message\ndata: ${json(id)}\n\n`;
  return [
    { type: JSON_TYPE, body: json },
    { type: STREAM, body: event },
    { type: JSON_TYPE, body: id => json(String(id)) },
    { type: STREAM, body: id => event(String(id)) },
    { type: JSON_TYPE, body: id => `\ufeff${json(id)}` },
    { type: STREAM, body: id => `\ufeff${event(id)}` },
    { type: JSON_TYPE, body: id => `${json(id)}\r\n` },
    { type: STREAM, body: id => event(id).replaceAll('\n', '\r\n') },
    { type: STREAM, body: id => event(id).trimEnd() },
    { type: 'text/plain', body: json },
    { type: STREAM, body: json },
    { type: JSON_TYPE, body: event },
  ];
}

/** One or two changes of a recorded answer: in its parts, in the whole, or in how it travels. Some text is left in each. */
export const deviations: fc.Arbitrary<Deviation> = fc
  .record({
    answer: fc.constantFrom(...RECORDED),
    parts: fc.array(fc.record({ at: fc.nat(), change: fc.nat() }), { minLength: 0, maxLength: 2 }),
    isWrapped: fc.integer({ min: 0, max: 19 }).map(n => n === 19),
    framing: fc.nat(),
  })
  .map(({ answer, parts, isWrapped, framing }) => {
    let result: unknown = answer.result;
    for (const { at, change } of parts) {
      const paths = pathsIn(result);
      const path = paths[at % paths.length];
      if (!path) continue;
      const changes = Array.isArray(path.reduce(memberOf, result)) ? [...CHANGES, ...MORE] : CHANGES;
      result = changed(result, path, changes[change % changes.length]!);
    }
    if (isWrapped) result = [result];
    const all = framings(result);
    // With two parts, the way is a good one; without any, it is not.
    const [first, count] = [
      [2, all.length - 2],
      [0, all.length],
      [0, 2],
    ][parts.length]! as [number, number];
    const texts = textsOf(answer.result, result);
    const isSame = parts.length > 0 && JSON.stringify(result) === JSON.stringify(answer.result);
    return { method: answer.method, result, ...all[first + (framing % count)]!, texts, isSame };
  })
  .filter(({ isSame, texts }) => !isSame && texts.length > 0);

const USABLE = new Set(['text', 'data', 'blob', 'uri', 'uriTemplate', 'name', 'description', 'instructions']);
/** How an item of a list is used: without it, nothing of it is. */
const KEYS = { tools: 'name', prompts: 'name', resources: 'uri', resourceTemplates: 'uriTemplate' } as const;

/** The texts of a valid answer that a changed one still has, but for those of items that can't be used any more. */
function textsOf(valid: Readonly<Record<string, unknown>>, given: unknown): string[] {
  const left = stringsIn(given);
  const list = Object.entries(KEYS).find(([list]) => Array.isArray(valid[list]));
  if (!list) return usable(valid).filter(text => left.has(text));
  const items = valid[list[0]] as Readonly<Record<string, unknown>>[];
  return items
    .filter(item => isKept(given, bare(list[1]), item[list[1]]))
    .flatMap(item => usable(item).filter(text => left.has(text)));
}

/** Whether some member with this name, however it is spelled, has the value, perhaps in a list. */
function isKept(value: unknown, name: string, wanted: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, part]) => (bare(key) === name && [part].flat(2).includes(wanted)) || isKept(part, name, wanted),
  );
}

function usable(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return USABLE.has(key) && value !== '' ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(item => usable(item, key));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    DATA.has(name) || name === 'arguments' ? [] : usable(part, name),
  );
}

export function stringsIn(value: unknown, into = new Set<string>()): Set<string> {
  if (typeof value === 'string') into.add(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) stringsIn(part, into);
  return into;
}
