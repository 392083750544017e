import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { originalArguments, providerSchema } from '../../../../../src/features/languageModel/core/providerSchema';

/** The schema made of one property's. */
function property(schema: unknown, rest: object = {}): unknown {
  const made = providerSchema({ type: 'object', properties: { p: schema }, ...rest });
  assert.ok('schema' in made, JSON.stringify(made));
  return (made.schema.properties as Record<string, unknown>).p;
}

function problem(schema: unknown): string {
  const made = providerSchema(schema);
  assert.ok('problem' in made, JSON.stringify(made));
  return english(made.problem);
}

const none = new Map<string, string>();
const anything = ['string', 'number', 'boolean', 'object'].map(type => ({ type }));
const rows = [...anything, { type: 'array', items: { anyOf: anything } }];
/** The form of what may have any value. */
const any = { anyOf: [...anything, { type: 'array', items: { anyOf: rows } }] };
const object = (properties: object, ...required: string[]) =>
  ({ type: 'object', properties, ...(required.length > 0 && { required }) }) as const;

describe('providerSchema', () => {
  it('makes the root an object with properties', () => {
    for (const empty of [{}, { type: 'object' }, { type: ['object', 'null'] }, { properties: {} }]) {
      assert.deepEqual(providerSchema(empty), { schema: object({}), renamed: none });
    }
    for (const other of [undefined, null, true, [], 'object']) assert.match(problem(other), /not an object/);
    assert.match(problem({ type: 'string' }), /of type string, not object/);
  });

  it('keeps common keywords and drops the others', () => {
    const made = providerSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'x',
      additionalProperties: false,
      ...object({ n: { type: 'integer', exclusiveMinimum: 0, maximum: 9, multipleOf: 3 } }, 'n', 'gone', 'n'),
      if: {},
    });
    const n = { type: 'integer', minimum: 1, maximum: 9, description: 'Multiple of: 3' };
    assert.deepEqual(made, { renamed: none, schema: object({ n }, 'n') });
    assert.deepEqual(property({ type: 'string', minLength: 1, maxLength: '2', default: 'x', readOnly: true }), {
      type: 'string',
      minLength: 1,
      default: 'x',
    });
    assert.deepEqual(property({ enum: ['a', 'b', 'a'] }), { type: 'string', enum: ['a', 'b'] });
    assert.deepEqual(property({ const: 5 }), { type: 'number', description: 'Always: 5' });
  });

  it('turns keywords that providers refuse into descriptions', () => {
    assert.deepEqual(property({ type: 'string', title: 'Day', format: 'date', pattern: '^2' }), {
      type: 'string',
      description: 'Day\nFormat: date\nPattern: ^2',
    });
  });

  it('turns several types and oneOf into anyOf', () => {
    assert.deepEqual(property({ type: ['string', 'null'], maxLength: 5, description: 'd' }), {
      anyOf: [{ type: 'string', maxLength: 5, description: 'd' }, { type: 'null' }],
    });
    assert.deepEqual(property({ oneOf: [{ type: 'string' }, false, { const: 1 }] }), {
      anyOf: [{ type: 'string' }, { type: 'number', description: 'Always: 1' }],
    });
    assert.deepEqual(property({ enum: ['a', null] }), { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] });
  });

  it('gives every list its items, including those of a tuple', () => {
    assert.deepEqual(property({ type: 'array' }), { type: 'array', items: any });
    assert.deepEqual(property({ type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] }), {
      type: 'array',
      items: { anyOf: [{ type: 'number' }, { type: 'string' }] },
      description: 'Items in order: {"type": "number"}, {"type": "string"}',
    });
  });

  it('inlines local references and allOf', () => {
    const $defs = { 'a/b': { type: 'string', description: 'one' }, base: object({ id: { type: 'number' } }, 'id') };
    assert.deepEqual(property({ $ref: '#/$defs/a~1b', description: 'mine' }, { $defs }), {
      type: 'string',
      description: 'mine',
    });
    assert.deepEqual(
      property({ allOf: [{ $ref: '#/$defs/base' }, object({ more: { type: 'boolean' } }, 'more')] }, { $defs }),
      object({ id: { type: 'number' }, more: { type: 'boolean' } }, 'id', 'more'),
    );
    assert.deepEqual(providerSchema({ $ref: '#/$defs/base', $defs }), {
      schema: object({ id: { type: 'number' } }, 'id'),
      renamed: none,
    });
  });

  it('merges alternatives at the root, where no provider accepts them', () => {
    const made = providerSchema({
      anyOf: [
        object({ kind: { const: 'a' }, x: { type: 'number' } }, 'kind', 'x'),
        object({ kind: { const: 'b' }, y: { type: 'string' } }, 'kind', 'y'),
      ],
    });
    const kind = { anyOf: ['a', 'b'].map(value => ({ type: 'string', enum: [value] })) };
    assert.deepEqual(made, {
      renamed: none,
      schema: {
        ...object({ kind, x: { type: 'number' }, y: { type: 'string' } }, 'kind'),
        description: 'Required: kind and x, or kind and y',
      },
    });
    const either = { ...object({ a: {}, b: {} }), oneOf: [{ required: ['a'] }, { required: ['b'] }] };
    assert.deepEqual(providerSchema(either), {
      schema: { ...object({ a: any, b: any }), description: 'Required: a, or b' },
      renamed: none,
    });
  });

  it('ends reference loops in a value of their type', () => {
    const $defs = {
      node: object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
      self: { $ref: '#/$defs/self' },
      all: { allOf: [{ $ref: '#/$defs/all' }, { $ref: '#/$defs/all' }] },
    };
    assert.deepEqual(property({ $ref: '#/$defs/node' }, { $defs }), {
      ...object({
        name: { type: 'string' },
        children: { type: 'array', items: { type: 'object', description: 'As above, with name, children' } },
      }),
    });
    assert.deepEqual(property({ $ref: '#/$defs/self' }, { $defs }), any);
    assert.deepEqual(property({ $ref: '#/$defs/all' }, { $defs }), any);
    assert.deepEqual(property({ $ref: '#' }), object({ p: { type: 'object', description: 'As above, with p' } }));
  });

  it('treats a dangling reference as any value, also at the root', () => {
    for (const $ref of ['https://example.com/s', '#/$defs/gone', '#/__proto__', '#/constructor', '#anchor', '#/%']) {
      assert.deepEqual(property({ $ref }), any);
      assert.deepEqual(providerSchema({ $ref }), { schema: object({}), renamed: none });
    }
  });

  it('renames arguments with refused names, and maps them back', () => {
    const back = (schema: unknown, args: Record<string, unknown>) => {
      const made = providerSchema(schema);
      assert.ok('schema' in made, JSON.stringify(made));
      for (const name of JSON.stringify(made.schema).matchAll(/"properties":\{"([^"]*)"/g)) {
        assert.match(name[1]!, /^[a-zA-Z0-9_.-]{1,64}$/);
      }
      return originalArguments(made, args);
    };
    const bad = object(
      { $filter: { type: 'string', description: 'd' }, 'with space': { type: 'number' }, ok: { type: 'string' } },
      '$filter',
    );
    const made = providerSchema(bad);
    assert.ok('schema' in made);
    const filter = { type: 'string', description: 'Named "$filter". d' };
    assert.deepEqual(
      made.schema,
      object(
        { filter, with_space: { type: 'number', description: 'Named "with space".' }, ok: { type: 'string' } },
        'filter',
      ),
    );
    assert.deepEqual(back(bad, { filter: 'a', with_space: 1, ok: 'b', other: 2 }), {
      $filter: 'a',
      'with space': 1,
      ok: 'b',
      other: 2,
    });
    const stage = object({ $vectorSearch: object({ $path: { type: 'string' } }), $match: { type: 'object' } });
    const pipeline = object({ pipeline: { type: 'array', items: { anyOf: [{ type: 'string' }, stage] } } });
    assert.deepEqual(
      back(pipeline, { pipeline: ['x', { vectorSearch: { path: 'p' } }, { match: { vectorSearch: 1, $gt: 2 } }] }),
      { pipeline: ['x', { $vectorSearch: { $path: 'p' } }, { $match: { vectorSearch: 1, $gt: 2 } }] },
      'names inside of what the schema says nothing about are the data of the model',
    );
    const other = object({ $a: {}, a: {}, '!a': {}, '': {}, 日: {}, ['x'.repeat(100)]: {} });
    const said = providerSchema(other);
    assert.ok('schema' in said);
    assert.deepEqual(Object.keys(said.schema.properties as object), [
      'a_2',
      'a',
      'a_3',
      'argument',
      'argument_2',
      'x'.repeat(56),
    ]);
    assert.deepEqual(back(other, { a_2: 1, a: 2, a_3: 3, argument: 4, argument_2: 5, ['x'.repeat(56)]: 6 }), {
      $a: 1,
      a: 2,
      '!a': 3,
      '': 4,
      日: 5,
      ['x'.repeat(100)]: 6,
    });
  });

  it('refuses a tool whose renamed arguments collide with others', () => {
    // Each of the names that would stand for one of them is there, however often others are tried.
    const names = Array.from({ length: 400 }, (_, i) => (i === 0 ? 'a' : `a_${i + 1}`));
    const text = { type: 'string' };
    const clashing = object({ $a: text, ...Object.fromEntries(names.map(name => [name, text])) });
    const made = providerSchema(clashing);
    assert.ok('schema' in made);
    assert.equal(made.renamed.get('a_401'), '$a');
  });

  it('is safe from keys of the prototype', () => {
    const hostile = JSON.parse(
      '{"type":"object","__proto__":{"polluted":1},"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__","toString"]}',
    );
    const made = providerSchema(hostile);
    assert.ok('schema' in made);
    assert.equal(JSON.stringify(made.schema), '{"type":"object","properties":{"constructor":{"type":"string"}}}');
    assert.equal(({} as { polluted?: number }).polluted, undefined);
  });

  it('bounds depth, however deep the schema', () => {
    for (const nest of [
      (inner: object) => object({ p: inner }),
      (inner: object) => ({ type: 'array', items: inner }),
      (inner: object) => ({ anyOf: [inner, { type: 'string' }] }),
      (inner: object) => ({ allOf: [inner] }),
      (inner: object) => ({ type: 'object', anyOf: [inner] }),
      (inner: object) => ({ default: inner, const: inner, enum: [inner] }),
    ]) {
      let deep: object = {};
      for (let i = 0; i < 100_000; i++) deep = nest(deep);
      const made = providerSchema(object({ p: deep }));
      assert.ok('schema' in made);
      assert.ok(JSON.stringify(made.schema).length < 2000);
    }
  });

  it('cuts or drops what is too large or has too many parts, without reading further', () => {
    const properties = (count: number, schema: object) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));
    const wordy = providerSchema(object(properties(100, { type: 'string', description: 'word '.repeat(400) })));
    assert.ok('schema' in wordy && JSON.stringify(wordy.schema).length <= 32 * 1024, 'descriptions go first');
    assert.match(problem(object(properties(4000, { type: 'string' }))), /larger than 32 KB/);
    for (const any of [{}, true as unknown as object])
      assert.match(problem(object(properties(100_000, any))), /too many parts/);
    assert.match(problem({ allOf: Array.from({ length: 200_000 }, () => ({})) }), /too many parts/);
    const joined = (count: number) => ({
      allOf: Array.from({ length: count }, (_, i) => ({ properties: { [`p${i}`]: { type: 'string' } } })),
    });
    assert.ok('schema' in providerSchema(joined(100)));
    // Each copies those before it.
    assert.match(problem(joined(1_000)), /too many parts/);
    // Keywords in words follow references, and 24 of 24 members of 24 are 13,824 for each keyword.
    let followed = 0;
    const to = (name: string) => ({
      get $ref() {
        followed++;
        return `#/$defs/${name}`;
      },
    });
    const members = (name: string) => properties(24, to(name));
    const wide = { a: members('b'), b: members('c'), c: properties(24, { type: 'string' }) };
    const all = { not: to('a'), if: to('a'), else: to('a'), contains: to('a') };
    providerSchema({ ...object(properties(100, all)), $defs: wide });
    assert.ok(followed < 100_000, `${followed} references are followed`);
    // Ten references to the next of ten, and so on: 10^9 when written out.
    let looks = 0;
    const next = (i: number) => ({
      get $ref() {
        looks++;
        return `#/$defs/d${i + 1}`;
      },
    });
    const $defs = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`d${i}`, object(properties(10, next(i)))]));
    const upper = providerSchema({ $ref: '#/$defs/d0', $defs });
    assert.ok(looks < 100_000, `${looks} looks`);
    assert.ok('schema' in upper && JSON.stringify(upper.schema).length < 10_000, 'its first levels are offered');
    assert.equal(Object.keys(upper.schema.properties as object).length, 10);
  });

  it('keeps only the first levels of a schema that is too large as a whole', () => {
    const large = object(
      { a: object(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`p${i}`, { type: 'string' }]))) },
      'a',
    );
    assert.deepEqual(providerSchema(large), { schema: object({ a: { type: 'object' } }, 'a'), renamed: none });
  });

  it('shows hidden characters in descriptions', () => {
    assert.deepEqual(property({ type: 'string', description: 'a\u202eb' }), {
      type: 'string',
      description: 'a⟨U+202E⟩b',
    });
  });
});
