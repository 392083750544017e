// Tools whose input schemas are valid but odd, over stdio. Each answers with the arguments that it got, as JSON; with an error if
// `fail` is true.
//   node out/servers/oddSchemas.js [file]           also lists the tools of the real servers that are collected in it
//   node out/servers/oddSchemas.js --frameworks     lists those that frameworks of npm listed, as `tool_<index>`
import { createInterface } from 'node:readline';
import { readCompressed } from '../setup/compressed';
import { FRAMEWORK_TOOLS } from './frameworkSchemas';

type Json = Record<string, unknown>;

const object = (properties: Json, more: Json = {}) => ({ type: 'object', properties, ...more });
const LONG = 'a_name_of_80_characters_'.padEnd(80, 'x');

const SCHEMAS: Record<string, Json> = {
  no_items: object({ values: { type: 'array' } }, { required: ['values'] }),
  empty_items: object({ values: { type: 'array', items: {} } }, { additionalProperties: { type: 'array' } }),
  nested_arrays: object({ rows: { type: 'array', items: { type: 'array' } } }),
  tuple: object({
    point: { type: 'array', items: [{ type: 'number' }, { type: 'number' }], minItems: 2, maxItems: 2 },
    range: { type: 'array', prefixItems: [{ type: 'string' }, { enum: [1, 2] }] },
  }),
  any_of_at_top: {
    type: 'object',
    anyOf: [object({ id: { type: 'integer' } }, { required: ['id'] }), object({ name: { type: 'string' } })],
  },
  nullable_array: object({ tags: { type: ['array', 'null'] }, size: { type: ['string', 'number'] } }),
  recursive: {
    ...object({ tree: { $ref: '#/$defs/node' } }),
    $defs: {
      node: object({ label: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
    },
  },
  odd_names: object(
    { 'filter[id]': { type: 'string' }, 'a space': { type: 'number' }, '@type': { type: 'boolean' }, [LONG]: {} },
    { required: ['filter[id]'] },
  ),
  boolean_schemas: object({ anything: true, nothing: false }),
  empty: {},
  empty_property: object({ value: {} }),
  // The editor replaces dots, and cuts what is long: it could not tell these apart.
  'two.names': object({}),
  two_names: object({}),
  too_large: object(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`argument${i}`, { type: 'string' }]))),
};

interface Listed {
  readonly name: string;
  readonly inputSchema: Json;
}
/** Named after their servers, because several of these have a tool of one name. */
const collected = (file: string): Listed[] =>
  (JSON.parse(readCompressed(file)) as { server: string; tools: Listed[] }[]).flatMap(({ server, tools }) =>
    tools.map(({ name, inputSchema }) => ({ name: `${server}_${name}`, inputSchema })),
  );
const file = process.argv[2];
const own = Object.entries(SCHEMAS).map(([name, inputSchema]) => ({ name, inputSchema }));
const tools =
  file === '--frameworks'
    ? FRAMEWORK_TOOLS.map(({ inputSchema }, index) => ({ name: `tool_${index}`, inputSchema }))
    : [...own, ...(file === undefined ? [] : collected(file))];

const send = (message: Json) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: Json };
  if (id === undefined) return;
  const answers: Record<string, () => Json> = {
    initialize: () => ({
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'oddSchemas', version: '1.0.0' },
    }),
    ping: () => ({}),
    'tools/list': () => ({ tools }),
    'tools/call': () => ({
      content: [{ type: 'text', text: JSON.stringify(params?.arguments) }],
      isError: (params?.arguments as Json | undefined)?.fail === true,
    }),
  };
  const result = answers[method]?.();
  send(result ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } });
});
