import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';
import { originalArguments, providerSchema } from '../../../../../src/features/languageModel/core/providerSchema';
import type { SchemaNode } from '../../../../../src/features/languageModel/core/schemaNode';
import { schemaProblem } from '../../../../../src/host';
import { collectedServers } from '../../../../bench/tools/collection';
import { inRepository } from '../../../../setup/paths';
import { holds } from '../../../fuzz/fuzz';

const { refusal } = createRequire(__filename)(inRepository('test/extensions/demo-model/refusals.cjs')) as {
  refusal(tool: { name: string; description: string; inputSchema: unknown }): string | undefined;
};
/** As the editor's agent makes them: one for schemas, one that checks arguments and changes what it can. */
const draft07 = new Ajv({ strict: false });
const draft2020 = new Ajv2020({ strict: false });
const agent = new Ajv({ coerceTypes: true, code: { optimize: false } }); // optimizing takes longer than all checks

/** The converted form, once the editor, its agent and the providers have accepted it. */
function accepted(inputSchema: unknown) {
  const made = providerSchema(inputSchema);
  assert.ok('schema' in made, JSON.stringify(made));
  const { schema } = made;
  const shown = JSON.stringify(schema);
  assert.equal(refusal({ name: 'tool', description: 'd', inputSchema: schema }), undefined, shown);
  assert.ok(draft07.validateSchema(schema), shown);
  assert.ok(draft2020.validateSchema(schema), shown);
  return { ...made, check: agent.compile(schema) };
}

const object = (properties: object, ...required: string[]) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
const text = { type: 'string' };
const number = { type: 'number' };
const simple = [text, number, { type: 'boolean' }, { type: 'object' }];
const any = {
  anyOf: [...simple, { type: 'array', items: { anyOf: [...simple, { type: 'array', items: { anyOf: simple } }] } }],
};
const $defs = {
  day: { type: 'string', format: 'date', description: 'A day' },
  node: object({ label: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
  'a/b~c %': number,
};
const LONG = 'x'.repeat(80);

interface Shape {
  readonly of: string;
  /** The schema of the argument `p`. */
  readonly given: unknown;
  /** What models get in its place; `undefined`: nothing. */
  readonly made: unknown;
  /** What a model sends, and what the server gets if that differs. */
  readonly sent?: readonly (readonly [sent: unknown, got?: unknown])[];
  /** What a model sends and the server would not accept, with the reason. */
  readonly refused?: readonly (readonly [sent: unknown, why: RegExp])[];
}

const SHAPES: readonly Shape[] = [
  { of: 'a text', given: text, made: text, sent: [['a']], refused: [[1, /p must be a string, not a number/]] },
  { of: 'an empty schema', given: {}, made: any, sent: [['a'], [5], [{ a: 1 }], [[1, 'b']], [[[1, 2]]]] },
  { of: 'true', given: true, made: any, sent: [[true]] },
  { of: 'false', given: false, made: undefined },
  { of: 'null in place of a schema', given: null, made: any },
  { of: 'an array without items', given: { type: 'array' }, made: { type: 'array', items: any }, sent: [[[1, 'a']]] },
  { of: 'items: {}', given: { type: 'array', items: {} }, made: { type: 'array', items: any }, sent: [[[[1]]]] },
  { of: 'items: true', given: { type: 'array', items: true }, made: { type: 'array', items: any } },
  { of: 'items: false', given: { type: 'array', items: false }, made: { type: 'array', items: any }, sent: [[[]]] },
  { of: 'items without an array', given: { items: text }, made: { type: 'array', items: text }, sent: [[['a']]] },
  {
    of: 'nested arrays without items',
    given: { type: 'array', items: { type: 'array' } },
    made: { type: 'array', items: { type: 'array', items: any } },
    sent: [[[[1, 'a'], []]]],
  },
  {
    of: 'an array in additionalProperties',
    given: { type: 'object', additionalProperties: { type: 'array' } },
    made: { type: 'object', description: 'Other members: {"type": "array"}' },
    sent: [[{ a: [1] }]],
    refused: [[{ a: 1 }, /p\.a must be an array, not a number/]],
  },
  {
    of: 'a tuple of draft-07',
    given: { type: 'array', items: [number, text], minItems: 2, maxItems: 2 },
    made: {
      type: 'array',
      items: { anyOf: [number, text] },
      minItems: 2,
      maxItems: 2,
      description: 'Items in order: {"type": "number"}, {"type": "string"}',
    },
    sent: [[[1, 'a']]],
    refused: [[['a', 1], /p\[0\] must be a number/]],
  },
  {
    of: 'a tuple of 2020-12',
    given: { type: 'array', prefixItems: [number, number], items: text },
    made: {
      type: 'array',
      items: { anyOf: [number, text] },
      description: 'Items in order: {"type": "number"}, {"type": "number"}',
    },
    sent: [[[1, 2, 'a']]],
  },
  {
    of: 'an empty tuple',
    given: { type: 'array', items: [] },
    made: { type: 'array', items: any, description: 'Items in order: ' },
  },
  {
    of: 'unique items, and what they contain',
    given: { type: 'array', items: text, uniqueItems: true, contains: { const: 'a' } },
    made: { type: 'array', items: text, description: 'Contains: {"const": "a"}\nUnique items: true' },
    refused: [[['a', 'a'], /same item twice/]],
  },
  {
    of: 'an array or null',
    given: { type: ['array', 'null'] },
    made: { anyOf: [{ type: 'array', items: any }, { type: 'null' }] },
    sent: [[null], [[1]]],
  },
  { of: 'null first', given: { type: ['null', 'string'] }, made: { anyOf: [text, { type: 'null' }] }, sent: [[null]] },
  { of: 'a list of one type', given: { type: ['string'] }, made: text },
  { of: 'a number and an integer', given: { type: ['integer', 'number'] }, made: number, sent: [[0.5]] },
  { of: 'several types', given: { type: ['string', 'number'] }, made: { anyOf: [text, number] }, sent: [[1]] },
  { of: 'null', given: { type: 'null' }, made: { type: 'null' }, sent: [[null]] },
  { of: 'an unknown type', given: { type: 'text' }, made: any },
  { of: 'an unknown type among others', given: { type: ['any', 'string'] }, made: text },
  {
    of: "Python's optional",
    given: { anyOf: [text, { type: 'null' }], default: null, title: 'Name' },
    made: { anyOf: [{ ...text, description: 'Name' }, { type: 'null' }] },
    sent: [[null], ['a']],
  },
  {
    of: 'oneOf with a default',
    given: { oneOf: [text, number], default: 5, description: 'Either' },
    made: {
      anyOf: [
        { ...text, description: 'Either' },
        { ...number, default: 5 },
      ],
    },
  },
  {
    of: 'anyOf within anyOf',
    given: { anyOf: [{ anyOf: [text, number] }, { type: ['boolean', 'string'] }] },
    made: { anyOf: [text, number, { type: 'boolean' }] },
  },
  { of: 'anyOf of one', given: { anyOf: [text] }, made: text },
  { of: 'anyOf with an empty schema', given: { anyOf: [text, {}] }, made: any, sent: [[{ a: 1 }]] },
  {
    of: 'anyOf beside a type',
    given: { type: 'array', items: text, anyOf: [{ minItems: 2 }, { maxItems: 0 }] },
    made: {
      anyOf: [
        { type: 'array', items: text, minItems: 2 },
        { type: 'array', items: text, maxItems: 0 },
      ],
    },
    sent: [[['a', 'b']]],
  },
  {
    of: 'objects of which one is meant',
    given: { oneOf: [object({ kind: { const: 'a' }, x: number }, 'kind'), object({ kind: { const: 'b' } }, 'kind')] },
    made: {
      anyOf: [
        object({ kind: { ...text, enum: ['a'] }, x: number }, 'kind'),
        object({ kind: { ...text, enum: ['b'] } }, 'kind'),
      ],
    },
    sent: [[{ kind: 'a', x: 1 }]],
    refused: [[{ kind: 'c' }, /p .*fit/]],
  },
  {
    of: 'allOf',
    given: { allOf: [object({ a: text }, 'a'), object({ b: number })] },
    made: object({ a: text, b: number }, 'a'),
    sent: [[{ a: 'x', b: 1 }]],
  },
  {
    of: 'not',
    given: { type: 'string', not: { const: 'a' } },
    made: { ...text, description: 'Not: {"const": "a"}' },
    refused: [['a', /must not be/]],
  },
  {
    of: 'if, then and else',
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    given: { ...object({ a: text }), if: { required: ['a'] }, then: { required: ['b'] }, else: { maxProperties: 0 } },
    made: {
      ...object({ a: text }),
      description: 'If: {"required": ["a"]}\nThen: {"required": ["b"]}\nElse: {"maxProperties": 0}',
    },
    refused: [[{ a: 'x' }, /required/]],
  },
  {
    of: 'an enum of texts',
    given: { enum: ['a', 'b', 'a'] },
    made: { ...text, enum: ['a', 'b'] },
    refused: [['c', /must be "a"/]],
  },
  {
    of: 'an enum of numbers',
    given: { enum: [1, 2] },
    made: { ...number, description: 'One of: 1, 2' },
    refused: [[3, /must be 1 or 2/]],
  },
  {
    of: 'an enum with an empty text',
    given: { enum: ['', 'a'] },
    made: { ...text, description: 'One of: "", "a"' },
    sent: [['']],
  },
  {
    of: 'an enum of several types',
    given: { enum: ['a', 1, null] },
    made: {
      anyOf: [{ ...text, enum: ['a'], description: 'One of: "a", 1, null' }, number, { type: 'null' }],
    },
    sent: [[1], [null]],
  },
  {
    of: 'an enum of objects',
    given: { enum: [{ a: 1 }] },
    made: { anyOf: [{ ...text, description: 'One of: {"a": 1}' }, ...any.anyOf.slice(1)] },
    sent: [[{ a: 1 }]],
  },
  { of: 'an empty enum', given: { type: 'string', enum: [] }, made: { ...text, description: 'One of: ' } },
  { of: 'a constant', given: { const: 'a' }, made: { ...text, enum: ['a'] } },
  {
    of: 'a constant number',
    given: { type: 'integer', const: 5 },
    made: { type: 'integer', description: 'Always: 5' },
    sent: [[5]],
  },
  {
    of: 'a constant boolean',
    given: { const: true },
    made: { type: 'boolean', description: 'Always: true' },
    refused: [[false, /must be true/]],
  },
  { of: 'a constant null', given: { const: null }, made: { type: 'null' }, sent: [[null]] },
  {
    of: 'an unknown format',
    given: { type: 'string', format: 'x-made-up' },
    made: { ...text, description: 'Format: x-made-up' },
    sent: [['a']],
  },
  {
    of: 'a pattern',
    given: { type: 'string', pattern: '^a+$', minLength: 1 },
    made: { ...text, minLength: 1, description: 'Pattern: ^a+$' },
    sent: [['a']],
  },
  { of: 'lengths that are none', given: { type: 'string', minLength: -1, maxLength: 2.5 }, made: text },
  {
    of: 'exclusive bounds',
    given: { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9.5 },
    made: { type: 'integer', minimum: 1, maximum: 9 },
    sent: [[9]],
    refused: [[0, /greater than/]],
  },
  {
    of: 'exclusive bounds of a number',
    given: { type: 'number', exclusiveMinimum: 0 },
    made: { ...number, minimum: 0, description: 'Greater than: 0' },
    sent: [[0.1]],
  },
  {
    of: 'exclusive bounds of draft-04',
    given: { type: 'integer', minimum: 1, exclusiveMinimum: true },
    made: { type: 'integer', minimum: 2 },
  },
  { of: 'bounds that are none', given: { type: 'number', minimum: '1', maximum: null }, made: number },
  {
    of: 'a multiple',
    given: { type: 'integer', multipleOf: 5 },
    made: { type: 'integer', description: 'Multiple of: 5' },
    refused: [[7, /multiple of 5/]],
  },
  { of: 'a default', given: { type: 'string', default: 'a' }, made: { ...text, default: 'a' } },
  { of: 'a default of another type', given: { type: 'string', default: 5 }, made: text },
  { of: 'a default outside the enum', given: { enum: ['a'], default: 'b' }, made: { ...text, enum: ['a'] } },
  {
    of: 'an object without properties',
    given: { type: 'object', properties: {} },
    made: { type: 'object' },
    sent: [[{ a: 1 }]],
  },
  {
    of: 'properties without a type',
    given: { properties: { a: text } },
    made: object({ a: text }),
    sent: [[{ a: 'x' }]],
  },
  {
    of: 'an undefined required property',
    given: object({ a: text }, 'a', 'b', 'a'),
    made: object({ a: text }, 'a'),
    refused: [[{ a: 'x' }, /p\.b is required/]],
  },
  { of: 'required as in draft-03', given: { type: 'string', required: true }, made: text },
  {
    of: 'patternProperties',
    given: { type: 'object', patternProperties: { '^x-': text } },
    made: { type: 'object', description: 'Members by pattern: {"^x-": {"type": "string"}}' },
    sent: [[{ 'x-a': 'b' }]],
  },
  {
    of: 'names of members',
    given: { type: 'object', propertyNames: { maxLength: 3 }, minProperties: 1 },
    made: { type: 'object', description: 'Fewest members: 1\nNames of members: {"maxLength": 3}' },
    sent: [[{ a: 1 }]],
  },
  {
    of: 'dependencies',
    given: { ...object({ a: text, b: text }), dependentRequired: { a: ['b'] } },
    made: { ...object({ a: text, b: text }), description: 'Requires: {"a": ["b"]}' },
    refused: [[{ a: 'x' }, /must have "b"/]],
  },
  {
    of: 'a reference',
    given: { $ref: '#/$defs/day' },
    made: { ...text, description: 'A day\nFormat: date' },
    sent: [['2026-01-01']],
    refused: [['today', /format date/]],
  },
  {
    of: 'a reference beside other keywords',
    given: { $ref: '#/$defs/day', description: 'Since', default: '2026-01-01' },
    made: { ...text, description: 'Since\nFormat: date', default: '2026-01-01' },
  },
  { of: 'a reference with escapes', given: { $ref: '#/$defs/a~1b~0c%20%25' }, made: number },
  { of: 'a reference of draft-04', given: { $ref: '#/definitions/old' }, made: { type: 'boolean' }, sent: [[true]] },
  { of: 'a reference to nothing', given: { $ref: '#/$defs/gone' }, made: any },
  {
    of: 'a recursive reference',
    given: { $ref: '#/$defs/node' },
    made: object({
      label: text,
      children: { type: 'array', items: { type: 'object', description: 'As above, with label, children' } },
    }),
    sent: [[{ label: 'a', children: [{ label: 'b', children: [] }] }]],
    refused: [[{ children: [{ label: 5 }] }, /children\[0\]\.label must be a string/]],
  },
  {
    of: 'names with brackets, spaces, @ and 80 characters',
    given: object({ 'filter[id]': text, 'a b': number, '@type': text, [LONG]: text }, 'filter[id]'),
    made: object(
      {
        filter_id: { ...text, description: 'Named "filter[id]".' },
        a_b: { ...number, description: 'Named "a b".' },
        type: { ...text, description: 'Named "@type".' },
        ['x'.repeat(56)]: { ...text, description: `Named "${LONG}".` },
      },
      'filter_id',
    ),
    sent: [
      [
        { filter_id: 'x', a_b: 1, type: 't', ['x'.repeat(56)]: 'l' },
        { 'filter[id]': 'x', 'a b': 1, '@type': 't', [LONG]: 'l' },
      ],
    ],
  },
  {
    of: 'a refused name with alternatives',
    given: object({ $a: { type: ['string', 'null'] } }),
    made: object({ a: { anyOf: [{ ...text, description: 'Named "$a".' }, { type: 'null' }] } }),
    sent: [[{ a: null }, { $a: null }]],
  },
  { of: 'empty descriptions', given: { type: 'string', title: '', description: '' }, made: text },
  { of: 'a description that is none', given: { type: 'string', title: 5, description: ['a'] }, made: text },
  {
    of: 'a long description',
    given: { type: 'string', description: 'a'.repeat(5000), format: 'uri' },
    made: { ...text, description: `${'a'.repeat(1011)}…\nFormat: uri` },
  },
  {
    of: 'nullable as in OpenAPI, examples and deprecation',
    given: { type: 'string', nullable: true, examples: ['a'], deprecated: true },
    made: { anyOf: [text, { type: 'null' }] },
  },
  {
    of: 'an encoding',
    given: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
    made: { ...text, description: 'Encoding: base64\nMedia type: image/png' },
  },
];

describe('schemas for models', () => {
  for (const { of, given, made, sent = [], refused = [] } of SHAPES)
    it(`convert ${of}, and its arguments back`, () => {
      const whole = { ...object({ p: given }), $defs, definitions: { old: { type: 'boolean' } } };
      const converted = accepted(whole);
      assert.deepEqual((converted.schema.properties as Record<string, unknown>).p, made);
      for (const [value, got = value] of sent) {
        const args = { p: structuredClone(value) };
        assert.ok(converted.check(structuredClone(args)), JSON.stringify([value, converted.check.errors]));
        const original = originalArguments(converted, args);
        assert.deepEqual(original, { p: got });
        assert.equal(schemaProblem(whole, original), undefined, JSON.stringify(original));
      }
      for (const [value, why] of refused)
        assert.match(schemaProblem(whole, originalArguments(converted, { p: value })) ?? '', why);
    });

  it('are at least 60 shapes', () => assert.ok(SHAPES.length >= 60, `${SHAPES.length}`));

  it('give back numbers and booleans of which the agent has made texts, where anything may stand', () => {
    const converted = accepted(object({ p: {}, q: { type: ['string', 'number'] }, r: { type: 'array' } }));
    const args = { p: 5, q: 'x', r: [1, true, 'a', '007', -0.5, ''] };
    const changed = structuredClone(args);
    assert.ok(converted.check(changed));
    assert.deepEqual(changed.r, ['1', 'true', 'a', '007', '-0.5', '']);
    assert.deepEqual(originalArguments(converted, changed, true), args);
  });

  it('of our own tools for other participants are accepted as they are', () => {
    const manifest = JSON.parse(readFileSync(inRepository('package.json'), 'utf8'));
    for (const tool of manifest.contributes.languageModelTools)
      assert.equal(refusal({ ...tool, description: tool.modelDescription }), undefined, tool.name);
  });

  it('of real servers are accepted by the editor and by providers, all of them', () => {
    const tools = collectedServers().flatMap(server => server.tools);
    assert.ok(tools.length > 300, `${tools.length}`);
    for (const { inputSchema } of tools) accepted(inputSchema);
  });
});

describe('fuzz: schemas for models', () => {
  const cases = () =>
    schemasOf().chain(schema => {
      const converted = accepted(schema);
      return fc.record({
        schema: fc.constant(schema),
        converted: fc.constant(converted),
        value: valuesOf(converted.schema),
      });
    });

  holds(
    'what a model may send is accepted, or an error says why not',
    'schemas',
    cases(),
    ({ schema, converted, value }) => {
      assert.ok(converted.check(structuredClone(value)), JSON.stringify([value, converted.schema]));
      const args = originalArguments(converted, value as Record<string, unknown>);
      const problem = schemaProblem(schema, args);
      if (problem === undefined) return;
      // Only what models are told in words can be wrong, and the error names the argument.
      assert.match(JSON.stringify(converted.schema), /(Not|One of|Always|Unique items|Items in order|Multiple of): /);
      assert.match(problem, /^\$?[a-f].* (must|is)/);
    },
  );
});

/** Objects of all that models can be told. */
function schemasOf(): fc.Arbitrary<SchemaNode> {
  return fc.letrec<{ node: SchemaNode; object: SchemaNode }>(tie => ({
    object: fc
      .dictionary(fc.constantFrom('a', 'b', '$c', 'd e', 'f[0]'), tie('node'), { maxKeys: 4 })
      .chain(properties =>
        fc.subarray(Object.keys(properties)).map(required => ({ type: 'object', properties, required })),
      ),
    node: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<SchemaNode>(
        {},
        text,
        number,
        { type: 'integer', minimum: -3, exclusiveMaximum: 9 },
        { type: ['boolean', 'null'] },
        { enum: ['a', 'b'] },
        { enum: ['', 1, null] },
        { const: 7 },
        { type: 'string', minLength: 2, maxLength: 4, not: { const: 'aaaa' } },
        { type: 'integer', multipleOf: 3 },
      ),
      fc.record({ type: fc.constant('array'), items: tie('node'), maxItems: fc.constant(3) }),
      fc.record({ type: fc.constant('array'), items: fc.tuple(tie('node'), tie('node')), maxItems: fc.constant(2) }),
      fc.constant({ type: 'array' }),
      fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }), description: fc.constant('d') }),
      tie('object'),
    ),
  })).object;
}

/** Any value that a converted schema allows. */
function valuesOf({ anyOf, type, enum: values, ...node }: SchemaNode): fc.Arbitrary<unknown> {
  if (Array.isArray(anyOf)) return fc.oneof(...(anyOf as SchemaNode[]).map(valuesOf));
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]));
  const { minimum: min = -1000, maximum: max = 1000, minLength = 0, maxLength = 6 } = node as Record<string, number>;
  switch (type) {
    case 'string':
      return fc.string({ minLength, maxLength });
    case 'integer':
      return fc.integer({ min, max });
    case 'number':
      return fc.double({ min, max, noNaN: true }).map(value => value || 0);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(node.items as SchemaNode), { maxLength: (node.maxItems as number) ?? 3 });
    case 'object': {
      const members = Object.entries((node.properties ?? {}) as Record<string, SchemaNode>);
      const requiredKeys = (node.required ?? []) as string[];
      return fc.record(Object.fromEntries(members.map(([key, value]) => [key, valuesOf(value)])), { requiredKeys });
    }
    default:
      return fc.constant(null);
  }
}
