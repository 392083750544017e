import assert from 'node:assert/strict';
import { schemaProblem } from '../../../../src/host';

describe('a schema without a dialect', () => {
  it('is of JSON Schema 2020-12', () => {
    const pair = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false };
    assert.equal(schemaProblem(pair, ['a', 1]), undefined);
    assert.ok(schemaProblem(pair, ['a', 'b']));
    assert.ok(schemaProblem(pair, ['a', 1, 2]));
    const card = { type: 'object', dependentRequired: { number: ['name'] }, unevaluatedProperties: false };
    assert.ok(schemaProblem(card, { number: 1 }));
  });
});

describe('a schema that refers to another document', () => {
  it('is refused, and nothing is fetched', async () => {
    const fetched: unknown[] = [];
    const original = globalThis.fetch;
    globalThis.fetch = async url => {
      fetched.push(url);
      throw new Error('not allowed');
    };
    try {
      for (const $ref of ['https://example.com/other.json', 'http://127.0.0.1:9/other.json#/$defs/a', 'other.json'])
        assert.ok(schemaProblem({ type: 'object', properties: { a: { $ref } } }, { a: 1 }), $ref);
    } finally {
      globalThis.fetch = original;
    }
    assert.deepEqual(fetched, []);
  });
});
