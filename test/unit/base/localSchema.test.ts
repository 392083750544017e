import assert from 'node:assert/strict';
import { localSchema } from '../../../src/base/localSchema';

const faults = (schema: Record<string, unknown>) =>
  localSchema(schema).faults.map(({ kind, name }) => `${kind} ${name}`);
const refAt = (schema: Record<string, unknown>, name: string) =>
  (localSchema(schema).schema.properties as Record<string, { $ref?: string }>)[name]?.$ref;

describe('localSchema', () => {
  it('returns the same object if every reference is already a pointer from the root', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' }, $id: { type: 'string' }, id: { enum: [{ $ref: '#/nowhere' }] } },
      $defs: { a: { properties: { b: { type: 'number' } }, additionalProperties: false } },
      additionalProperties: false,
    };
    assert.equal(localSchema(schema).schema, schema);
    assert.deepEqual(localSchema(schema).faults, []);
  });

  it('prefers the root to a nearer definition, as the specification has it', () => {
    const $defs = { x: { type: 'string' } };
    const inner = { properties: { b: { $ref: '#/$defs/x' } }, $defs: { x: { type: 'number' } } };
    const { schema } = localSchema({ $defs, properties: { a: inner } });
    assert.deepEqual(schema.properties, { a: inner });
    const embedded = localSchema({ $defs, properties: { a: { $id: 'https://example.com/a', ...inner } } }).schema;
    const { a } = embedded.properties as { a: { properties: { b: unknown } } };
    assert.deepEqual(a.properties.b, { $ref: '#/properties/a/$defs/x' });
  });

  it('looks up identities, anchors and dynamic references', () => {
    const item = { $id: 'https://example.com/item', $anchor: 'it', type: 'string' };
    const schema = {
      $defs: { 'the/item': item, loop: { $dynamicAnchor: 'node' } },
      properties: {
        byId: { $ref: 'https://example.com/item' },
        byHash: { $ref: 'https://example.com/item#' },
        byAnchor: { $ref: '#it' },
        dynamic: { $dynamicRef: '#node' },
      },
    };
    for (const name of ['byId', 'byHash', 'byAnchor']) assert.equal(refAt(schema, name), '#/$defs/the~1item');
    assert.equal(refAt(schema, 'dynamic'), '#/$defs/loop');
    assert.deepEqual(faults(schema), []);
  });

  it('leaves out references that lead nowhere, and names them', () => {
    for (const $ref of ['https://example.com/s', 'T9', '#/$defs/gone', '#/__proto__', '#gone', '#/%', '9/a', '1/b']) {
      const schema = { properties: { a: { $ref, title: 'A' } } };
      assert.deepEqual(localSchema(schema).schema, { properties: { a: { title: 'A' } } }, $ref);
      assert.deepEqual(faults(schema), [`reference ${$ref}`]);
    }
  });

  it('lets nothing be refused by what takes too much because a reference leads nowhere', () => {
    const gone = { $ref: '#/gone' };
    const parts = { oneOf: [gone, { type: 'string' }], not: gone, if: { allOf: [gone] } };
    assert.deepEqual(localSchema(parts).schema, { anyOf: [{}, { type: 'string' }] });
    const whole = { oneOf: [{ type: 'number' }], not: { type: 'string' }, items: gone };
    assert.deepEqual(localSchema(whole).schema, { ...whole, items: {} });
  });

  it('opens objects that may have no members by mistake, and no others', () => {
    const closed = { type: 'object', additionalProperties: false };
    const a = { type: 'object', properties: { a: { type: 'string' } } };
    assert.deepEqual(faults({ ...closed, propertyNames: { type: 'string' } }), ['closed ']);
    assert.deepEqual(faults({ ...closed, anyOf: [a] }), ['closed ']);
    assert.deepEqual(faults({ ...closed, allOf: [{ $ref: '#/$defs/a' }], $defs: { a } }), ['closed ']);
    assert.deepEqual(faults({ ...closed, properties: { b: {} }, allOf: [a] }), ['closed ']);
    assert.deepEqual(faults({ properties: { x: { properties: { data: closed } } } }), ['closed x.data']);
    for (const meant of [
      closed,
      { ...closed, properties: {} },
      { ...closed, patternProperties: { '^x': {} } },
      { ...closed, properties: { a: {} }, anyOf: [{ required: ['a'] }, a] },
      { properties: { x: { oneOf: [closed, a] } } },
      { properties: { x: { ...closed, maxProperties: 0 } } },
    ])
      assert.deepEqual(faults(meant), [], JSON.stringify(meant));
  });

  it('reads "type": "null" beside other schemas as "or null"', () => {
    const allOf = [{ type: 'object' }];
    const { schema } = localSchema({ properties: { a: { type: 'null', allOf }, b: { type: 'null' } } });
    assert.deepEqual(schema.properties, { a: { anyOf: [{ allOf }, { type: 'null' }] }, b: { type: 'null' } });
  });

  it('looks once at what several alternatives refer to', () => {
    const properties = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`m${index}`, {}]));
    const anyOf = Array.from({ length: 40_000 }, () => ({ $ref: '#/$defs/all' }));
    // As one list for each of them, their names would not fit into memory.
    assert.deepEqual(faults({ $defs: { all: { properties } }, properties, anyOf, additionalProperties: false }), []);
  });

  it('looks once at what several parts refer to', () => {
    let looks = 0;
    const properties = new Proxy(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, {}])), {
      ownKeys: target => {
        looks++;
        return Reflect.ownKeys(target);
      },
    });
    const part = { additionalProperties: false, anyOf: [{ $ref: '#/$defs/all' }] };
    const parts = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, part]));
    assert.equal(faults({ $defs: { all: { properties } }, properties: parts }).length, 1_000);
    assert.ok(looks < 100, `${looks} looks`);
  });

  it('does not end for a circle, nor for any depth', () => {
    let deep: Record<string, unknown> = { $ref: '#/gone' };
    for (let level = 0; level < 5_000; level++) deep = { items: deep };
    assert.equal(localSchema(deep).schema, deep);
    assert.deepEqual(faults({ $ref: '#' }), []);
  });
});
