import type { Behaviour } from '../raw/behaviour';
import { isObject, type Json, type JsonObject, type Message } from '../raw/messages';
import { plainTool } from '../raw/offer';
import { type Flag, plain, withNumber, withText } from './flag';

const object = { type: 'object' };
const KEYS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

/** Changes the page of a list, in whichever answer one is. */
function inLists(change: (items: Json[], result: JsonObject, key: (typeof KEYS)[number]) => void) {
  return (outgoing: Message | string): (Message | string)[] => {
    if (typeof outgoing === 'string' || !isObject(outgoing.result)) return [outgoing];
    const result: JsonObject = { ...outgoing.result };
    for (const key of KEYS) {
      const items = result[key];
      if (!Array.isArray(items)) continue;
      const copy = [...items];
      result[key] = copy;
      change(copy, result, key);
    }
    return [{ ...outgoing, result }];
  };
}

const METHODS: Readonly<Record<string, (typeof KEYS)[number]>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

/** Answers one method in another way. */
function answer(
  method: string,
  { incoming }: Behaviour,
  result: (key: string, params: JsonObject) => JsonObject,
): void {
  const key = METHODS[method];
  if (!key) throw new Error(`needs one of ${Object.keys(METHODS).join(', ')}`);
  incoming.push((message, session) => {
    if (message.method !== method || message.id === undefined || message.id === null) return undefined;
    session.send({ jsonrpc: '2.0', id: message.id, result: result(key, message.params ?? {}) }, message.id, true);
    return 'handled';
  });
}

const made = (n: number): JsonObject => ({ name: `made-${n}`, uri: `hostile://made/${n}`, inputSchema: object });

/** What no list may hold, each bad in its own way. */
const badItems: Json[] = [
  ...[null, 7, 'a text', ['an array'], {}, { name: 5 }],
  { name: 'bad', arguments: 'none', inputSchema: { type: 'string' } },
];

/** Tools whose schemas can't be used. */
const badSchemas: JsonObject[] = [
  { name: 'no-schema' },
  { name: 'text-schema', inputSchema: 'object' },
  { name: 'array-schema', inputSchema: [] },
  { name: 'other-type', inputSchema: { type: 'string' } },
  { name: 'null-properties', inputSchema: { ...object, properties: null } },
  { name: 'wrong-keyword', inputSchema: { ...object, properties: { a: { anyOf: {} } } } },
  { name: 'wrong-required', inputSchema: { ...object, required: 'a' } },
  { name: 'large-schema', inputSchema: { ...object, description: 'x'.repeat(300_000) } },
  { name: 'bad-output', inputSchema: object, outputSchema: 'text' },
];

/** Names and keys that mean something to JavaScript. Parsed, so that `__proto__` is a key like any other. */
const prototypeTools = JSON.parse(`[
  { "name": "__proto__", "inputSchema": { "type": "object" } },
  { "name": "constructor", "inputSchema": { "type": "object", "properties": { "__proto__": { "type": "string" },
    "constructor": { "type": "string" }, "toString": { "type": "string" } }, "required": ["__proto__"] } },
  { "name": "polluter", "inputSchema": { "type": "object" }, "__proto__": { "polluted": true }, "_meta": { "__proto__": { "polluted": true } } },
  { "__proto__": { "name": "inherited", "inputSchema": { "type": "object" } } }
]`) as JsonObject[];

/** Faults of lists: their pages and their items. */
export const listFlags: Readonly<Record<string, Flag>> = {
  'endless-cursor': withText('method', 'page this list for ever, one item to a page', (behaviour, method) => {
    let page = 0;
    answer(method, behaviour, key => ({ [key]: [made(++page)], nextCursor: `page-${page}` }));
  }),
  'cursor-loop': withText('method', 'page this list in a circle of three pages', (behaviour, method) => {
    answer(method, behaviour, (key, { cursor }) => {
      const page = cursor === undefined ? 0 : Number(cursor);
      return { [key]: [made(page)], nextCursor: String((page % 3) + 1) };
    });
  }),
  'wrong-cursor': plain('give a number as the cursor of every next page', ({ outgoing }) => {
    outgoing.push(
      inLists((_, result) => {
        result.nextCursor = 7;
      }),
    );
  }),
  'bad-items': plain('begin every list with items of wrong types', ({ outgoing }) => {
    outgoing.push(inLists(items => void items.unshift(...badItems)));
  }),
  'list-type': withText('json', 'this value in place of every list', ({ outgoing }, json) => {
    outgoing.push(
      inLists((_, result, key) => {
        result[key] = JSON.parse(json);
      }),
    );
  }),
  'proto-keys': plain('offer tools with names and keys such as __proto__', ({ outgoing }) => {
    outgoing.push(inLists((items, _, key) => key === 'tools' && void items.unshift(...prototypeTools)));
  }),
  'bad-schemas': plain('offer tools whose schemas can not be used', ({ outgoing }) => {
    outgoing.push(inLists((items, _, key) => key === 'tools' && void items.unshift(...badSchemas)));
  }),
  'duplicate-tools': plain('offer every tool twice', ({ offer }) => {
    offer.tools.push(...offer.tools.map(({ definition: { name } }) => plainTool(name)));
  }),
  'deep-schema': withNumber('levels', 'offer a tool "deep" with a schema of so many levels', ({ outgoing }, levels) => {
    const mark = '@deep@';
    const tool = { name: 'deep', inputSchema: { ...object, not: mark } };
    outgoing.push(
      inLists((items, _, key) => key === 'tools' && void items.unshift(tool)),
      // As text: what makes JSON goes down by recursion.
      one => {
        const text = typeof one === 'string' ? one : JSON.stringify(one);
        return [text.replace(`"${mark}"`, () => `${'{"not":'.repeat(levels)}{}${'}'.repeat(levels)}`)];
      },
    );
  }),
};
