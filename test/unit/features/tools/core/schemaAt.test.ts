import assert from 'node:assert/strict';
import { beginning, propertiesAt, schemaAt, valuesOf } from '../../../../../src/features/tools/core/schemaAt';
import type { JsonSchema } from '../../../../../src/features/tools/core/schemaForm';

const schema: JsonSchema = {
  type: 'object',
  required: ['unit', 'node'],
  properties: {
    unit: { enum: ['celsius', 'kelvin'], default: 'kelvin' },
    loud: { type: ['boolean', 'null'] },
    many: { type: 'array', items: { type: 'object', properties: { deep: { type: 'string', examples: ['x'] } } } },
    pair: { type: 'array', prefixItems: [{ type: 'integer' }], items: { type: 'string' } },
    node: { $ref: '#/$defs/node' },
    constructor: { type: 'string' },
  },
  $defs: { node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } } },
};

describe('the schema at a place of a value', () => {
  it('is found through objects, lists, tuples and references, at any depth', () => {
    assert.equal(schemaAt(schema, ['many', 3, 'deep'])?.type, 'string');
    assert.equal(schemaAt(schema, ['pair', 0])?.type, 'integer');
    assert.equal(schemaAt(schema, ['pair', 1])?.type, 'string');
    assert.equal(schemaAt(schema, ['node', 'next', 'next', 'next'])?.type, 'object');
  });

  it('is undefined where there is none, also for inherited names', () => {
    assert.equal(schemaAt(schema, ['nothing', 'here']), undefined);
    assert.equal(schemaAt(schema, ['toString']), undefined);
    assert.equal(schemaAt(schema, ['constructor'])?.type, 'string');
    assert.equal(schemaAt({ $ref: 'https://example.com' }, ['a']), undefined);
    assert.deepEqual(propertiesAt({}, ['a']), []);
  });

  it('has the properties of an object, and which are required', () => {
    const names = propertiesAt(schema, []).map(({ name, required }) => `${name}${required ? '!' : ''}`);
    assert.deepEqual(names, ['unit!', 'loud', 'many', 'pair', 'node!', 'constructor']);
    assert.deepEqual(
      propertiesAt(schema, ['node', 'next']).map(({ name }) => name),
      ['next'],
    );
  });

  it('lists values: choices, true and false, the default and examples, each once', () => {
    assert.deepEqual(valuesOf(schemaAt(schema, ['unit'])), ['celsius', 'kelvin']);
    assert.deepEqual(valuesOf(schemaAt(schema, ['loud'])), [true, false]);
    assert.deepEqual(valuesOf({ type: 'integer', default: 3, examples: [3, 5] }), [3, 5]);
    assert.deepEqual(valuesOf(undefined), []);
  });

  it('gives the start of a new value', () => {
    assert.equal(beginning(schemaAt(schema, ['unit'])), '"celsius"');
    assert.equal(beginning({ type: 'string' }), '""');
    assert.equal(beginning({ type: 'array' }), '[]');
    assert.equal(beginning({ type: 'object' }), '{}');
    assert.equal(beginning({ type: 'number' }), '');
  });
});
