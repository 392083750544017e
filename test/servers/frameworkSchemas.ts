import type { Tool } from '@modelcontextprotocol/client';

/** A tool as a framework of npm listed it, with arguments that its server took. */
export interface ListedTool {
  /** Package and version, and what its author wrote. */
  readonly from: string;
  readonly inputSchema: Tool['inputSchema'];
  readonly taken: Readonly<Record<string, unknown>>;
}

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'string' };
const object = (properties: object, more: object = {}) =>
  ({ type: 'object', properties, ...more }) as unknown as Tool['inputSchema'];
const node = (children: object) => ({ type: 'object', properties: { name: text, children }, required: ['name'] });
const tree = { name: 'a', children: [{ name: 'b', children: [] }] };

/** Recorded in November 2026. Whoever believes these schemas refuses the calls. */
export const FRAMEWORK_TOOLS: readonly ListedTool[] = [
  {
    from: 'fastmcp 4.20.16, z.record',
    inputSchema: object(
      { headers: { type: 'object', propertyNames: text, additionalProperties: false } },
      { $schema: DRAFT_07, required: ['headers'], additionalProperties: false },
    ),
    taken: { headers: { 'X-A': '1' } },
  },
  {
    from: 'fastmcp 4.20.16, z.object({}).passthrough()',
    inputSchema: object(
      { data: { type: 'object', properties: {}, additionalProperties: false } },
      { $schema: DRAFT_07, required: ['data'], additionalProperties: false },
    ),
    taken: { data: { q: 1 } },
  },
  {
    from: 'fastmcp 4.20.16, a record as the whole',
    inputSchema: { $schema: DRAFT_07, type: 'object', propertyNames: text, additionalProperties: false },
    taken: { a: 'b' },
  },
  {
    from: 'fastmcp 4.20.16, z.discriminatedUnion as the whole',
    inputSchema: {
      $schema: DRAFT_07,
      type: 'object',
      oneOf: [
        object({ k: { type: 'string', const: 'a' }, x: text }, { required: ['k', 'x'] }),
        object({ k: { type: 'string', const: 'b' }, y: { type: 'number' } }, { required: ['k', 'y'] }),
      ],
      additionalProperties: false,
    },
    taken: { k: 'a', x: '1' },
  },
  {
    from: 'xmcp 1.1.3, a list of recursive objects',
    inputSchema: object({
      nodes: {
        $schema: DRAFT_2020,
        type: 'array',
        items: { $ref: '#/$defs/__schema0' },
        $defs: { __schema0: node({ type: 'array', items: { $ref: '#/$defs/__schema0' } }) },
      },
    }),
    taken: { nodes: [tree] },
  },
  {
    from: 'xmcp 1.1.3, a recursive object',
    inputSchema: object({ tree: { $schema: DRAFT_2020, ...node({ type: 'array', items: { $ref: '#' } }) } }),
    taken: { tree },
  },
  {
    from: 'zod-to-json-schema 3, relative references',
    inputSchema: object({ a: { type: 'object', properties: { x: text } }, b: { $ref: '1/a' } }, { $schema: DRAFT_07 }),
    taken: { a: { x: '1' }, b: { x: '2' } },
  },
  {
    from: 'zod-to-json-schema 3, a relative reference to the whole',
    inputSchema: object(
      { name: text, children: { type: 'array', items: { $ref: '3' } } },
      { $schema: DRAFT_07, required: ['name'] },
    ),
    taken: tree,
  },
  {
    from: 'typebox 0.34, Type.Recursive',
    inputSchema: object({ tree: { $id: 'T0', ...node({ type: 'array', items: { $ref: 'T0' } }) } }),
    taken: { tree },
  },
  {
    from: 'a draft-04 schema',
    inputSchema: object(
      { a: { type: 'number', minimum: 0, exclusiveMinimum: true } },
      { $schema: 'http://json-schema.org/draft-04/schema#', id: 'https://example.com/a' },
    ),
    taken: { a: 1 },
  },
  {
    from: 'OpenAPI 3.0, nullable',
    inputSchema: object({ a: { type: 'string', enum: ['x'], nullable: true }, b: { nullable: true, allOf: [text] } }),
    taken: { a: null, b: null },
  },
  {
    from: 'OpenAPI 3.0, a reference to its components',
    inputSchema: object({ a: { $ref: '#/components/schemas/X' } }),
    taken: { a: { b: 1 } },
  },
  {
    from: 'a reference to another document',
    inputSchema: object({ a: { $ref: 'https://example.com/schema.json#/a' } }),
    taken: { a: 1 },
  },
];
