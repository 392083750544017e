import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { providerSchema } from '../../../../../src/features/chat/core/providerSchema';

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

const object = (properties: object, ...required: string[]) =>
  ({ type: 'object', properties, ...(required.length > 0 && { required }) }) as const;

describe('a schema for model providers', () => {
  it('is an object with properties at its root', () => {
    for (const empty of [{}, { type: 'object' }, { type: ['object', 'null'] }, { properties: {} }]) {
      assert.deepEqual(providerSchema(empty), { schema: object({}) });
    }
    for (const none of [undefined, null, true, [], 'object']) assert.match(problem(none), /not an object/);
    assert.match(problem({ type: 'string' }), /of type string, not object/);
  });

  it('keeps the common keywords and drops the others', () => {
    const made = providerSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'x',
      additionalProperties: false,
      ...object({ n: { type: 'integer', exclusiveMinimum: 0, maximum: 9, multipleOf: 3 } }, 'n', 'gone', 'n'),
      if: {},
    });
    assert.deepEqual(made, { schema: object({ n: { type: 'integer', minimum: 1, maximum: 9 } }, 'n') });
    assert.deepEqual(property({ type: 'string', minLength: 1, maxLength: '2', default: 'x', readOnly: true }), {
      type: 'string',
      minLength: 1,
      default: 'x',
    });
    assert.deepEqual(property({ enum: ['a', 'b', 'a'] }), { type: 'string', enum: ['a', 'b'] });
    assert.deepEqual(property({ const: 5 }), { type: 'number', enum: [5] });
  });

  it('says in words what providers refuse as keywords', () => {
    assert.deepEqual(property({ type: 'string', title: 'Day', format: 'date', pattern: '^2' }), {
      type: 'string',
      description: 'Day\nFormat: date\nPattern: ^2',
    });
  });

  it('makes several types and oneOf into anyOf', () => {
    assert.deepEqual(property({ type: ['string', 'null'], maxLength: 5, description: 'd' }), {
      anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }],
      description: 'd',
    });
    assert.deepEqual(property({ oneOf: [{ type: 'string' }, false, { const: 1 }] }), {
      anyOf: [{ type: 'string' }, { type: 'number', enum: [1] }],
    });
    assert.deepEqual(property({ enum: ['a', null] }), { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] });
  });

  it('gives every list its items, those of a tuple too', () => {
    assert.deepEqual(property({ type: 'array' }), { type: 'array', items: {} });
    assert.deepEqual(property({ type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] }), {
      type: 'array',
      items: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    });
  });

  it('puts local references and allOf in place', () => {
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
    });
  });

  it('joins alternatives at the root, where no provider takes them', () => {
    const made = providerSchema({
      anyOf: [
        object({ kind: { const: 'a' }, x: { type: 'number' } }, 'kind', 'x'),
        object({ kind: { const: 'b' }, y: { type: 'string' } }, 'kind', 'y'),
      ],
    });
    const kind = { anyOf: ['a', 'b'].map(value => ({ type: 'string', enum: [value] })) };
    assert.deepEqual(made, { schema: object({ kind, x: { type: 'number' }, y: { type: 'string' } }, 'kind') });
    const either = { ...object({ a: {}, b: {} }), oneOf: [{ required: ['a'] }, { required: ['b'] }] };
    assert.deepEqual(providerSchema(either), { schema: object({ a: {}, b: {} }) });
  });

  it('ends loops of references in a value of their type', () => {
    const $defs = {
      node: object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } }),
      self: { $ref: '#/$defs/self' },
      all: { allOf: [{ $ref: '#/$defs/all' }, { $ref: '#/$defs/all' }] },
    };
    assert.deepEqual(property({ $ref: '#/$defs/node' }, { $defs }), {
      ...object({ name: { type: 'string' }, children: { type: 'array', items: object({}) } }),
    });
    assert.deepEqual(property({ $ref: '#/$defs/self' }, { $defs }), {});
    assert.deepEqual(property({ $ref: '#/$defs/all' }, { $defs }), {});
    assert.deepEqual(property({ $ref: '#' }), object({ p: object({}) }));
  });

  it('takes a reference that leads nowhere for any value, and refuses it at the root', () => {
    for (const $ref of ['https://example.com/s', '#/$defs/gone', '#/__proto__', '#/constructor', '#anchor', '#/%']) {
      assert.deepEqual(property({ $ref }), {});
      assert.match(problem({ $ref }), /which is not there/);
    }
  });

  it('leaves out optional arguments whose name is refused, and the tool when they are required', () => {
    const bad = { $filter: { type: 'string' }, 'with space': {}, ok: { type: 'string' } };
    assert.deepEqual(providerSchema(object(bad)), { schema: object({ ok: { type: 'string' } }) });
    assert.match(problem(object(bad, '$filter')), /"\$filter" has a name that model providers reject/);
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

  it('is bounded in depth, however deep the schema is', () => {
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

  it('is left out when it is too large or has too many parts, and then not looked at any further', () => {
    const properties = (count: number, schema: object) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]));
    const wordy = providerSchema(object(properties(100, { type: 'string', description: 'word '.repeat(400) })));
    assert.ok('schema' in wordy && JSON.stringify(wordy.schema).length <= 32 * 1024, 'descriptions go first');
    assert.match(problem(object(properties(4000, { type: 'string' }))), /larger than 32 KB/);
    assert.match(problem(object(properties(100_000, {}))), /too many parts/);
    assert.match(problem({ allOf: Array.from({ length: 200_000 }, () => ({})) }), /too many parts/);
    // Ten references to the next of ten, and so on: 10^9 when written out.
    let looks = 0;
    const next = (i: number) => ({
      get $ref() {
        looks++;
        return `#/$defs/d${i + 1}`;
      },
    });
    const $defs = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`d${i}`, object(properties(10, next(i)))]));
    assert.match(problem({ $ref: '#/$defs/d0', $defs }), /too many parts/);
    assert.ok(looks < 100_000, `${looks} looks`);
  });

  it('shows hidden characters in descriptions', () => {
    assert.deepEqual(property({ type: 'string', description: 'a\u202eb' }), {
      type: 'string',
      description: 'a⟨U+202E⟩b',
    });
  });
});
