import assert from 'node:assert/strict';
import { MAX_FIELDS } from '../../../../src/host';
import { formProblem } from '../../../../src/host/sdk/forms';

const form = (properties: object) => ({ type: 'object', properties });
const many = (count: number) =>
  form(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { type: 'string' }])));

describe('formProblem', () => {
  it('accepts every field type of the specification', () => {
    const fields = {
      text: { type: 'string', format: 'email', minLength: 1 },
      whole: { type: 'integer', minimum: 1 },
      number: { type: 'number' },
      yes: { type: 'boolean' },
      one: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
      titled: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      some: { type: 'array', items: { type: 'string', enum: ['a'] } },
      titledSome: { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
    };
    assert.equal(formProblem(form(fields)), undefined);
    assert.equal(formProblem(form({})), undefined);
  });

  it('limits the number of fields', () => {
    assert.equal(formProblem(many(MAX_FIELDS)), undefined);
    assert.match(formProblem(many(500)) ?? '', /500 fields; at most 50/);
  });

  it('accepts what frameworks send beyond it', () => {
    const text = { type: 'string' };
    const fields = {
      optional: { anyOf: [text, { type: 'null' }], default: null, title: 'Optional' },
      nullable: { type: ['string', 'null'] },
      texts: { type: 'array', items: text },
      optionalTexts: { anyOf: [{ type: 'array', items: text }, { type: 'null' }] },
      untyped: { enum: ['a', 'b'] },
      numbers: { type: 'number', enum: [1, 2] },
      literals: { anyOf: [{ const: 'a' }, { const: 2 }] },
      only: { const: 'a' },
      either: { type: ['string', 'number'] },
      eitherOrNone: { anyOf: [{ type: 'integer' }, text, { type: 'null' }] },
    };
    assert.equal(formProblem(form(fields)), undefined);
  });

  it('refuses nested objects, lists of other things and unsupported types', () => {
    assert.match(formProblem(form({ a: form({ b: { type: 'string' } }) })) ?? '', /"a" is an object/);
    const optional = form({ a: { anyOf: [form({ b: { type: 'string' } }), { type: 'null' }] } });
    assert.match(formProblem(optional) ?? '', /"a" is an object/);
    for (const items of [{ type: 'number' }, { enum: [1, 2] }, {}, { type: 'array' }])
      assert.match(formProblem(form({ a: { type: 'array', items } })) ?? '', /"a" is a list/);
    for (const odd of [
      {},
      null,
      5,
      { type: 'null' },
      { type: ['string'] },
      { type: ['string', 'object'] },
      { $ref: '#' },
    ])
      assert.match(formProblem(form({ odd })) ?? '', /"odd" is of a type/);
    for (const schema of [undefined, null, [], 'x', { type: 'object' }]) assert.ok(formProblem(schema));
  });

  it('refuses what is too large or too deep', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 20_000; level++) deep = [deep];
    assert.match(formProblem(form({ a: { enum: [deep] } })) ?? '', /nested deeper/);
    const huge = form({ a: { type: 'string', description: 'x'.repeat(300_000) } });
    assert.match(formProblem(huge) ?? '', /too large/);
    const choices = Array.from({ length: 2_000 }, String);
    assert.match(formProblem(form({ a: { type: 'string', enum: choices } })) ?? '', /more than 1000 choices/);
  });
});
