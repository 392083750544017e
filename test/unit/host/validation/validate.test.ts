import assert from 'node:assert/strict';
import { schemaProblem } from '../../../../src/host';

describe('schemas of servers', () => {
  it('are checked', () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    assert.equal(schemaProblem(schema, { a: 1 }), undefined);
    assert.match(schemaProblem(schema, { a: 'x' }) ?? '', /number/);
    assert.ok(schemaProblem(schema, {}));
  });

  it('can not block the editor by a regular expression', () => {
    const evil = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    assert.equal(schemaProblem(evil, { a: `${'a'.repeat(80)}!` }), undefined);
  });

  it('keep properties and constants named "pattern"', () => {
    const schema = { type: 'object', properties: { pattern: { type: 'number' }, kind: { const: { pattern: 1 } } } };
    assert.ok(schemaProblem(schema, { pattern: 'x' }));
    assert.ok(schemaProblem(schema, { kind: { pattern: 2 } }));
    assert.equal(schemaProblem(schema, { pattern: 1, kind: { pattern: 1 } }), undefined);
  });

  it('that make no sense say so', () => {
    assert.equal(typeof schemaProblem({ type: 'object', $ref: '#/nowhere' }, {}), 'string');
  });

  it('can not block the editor by parts that refer to parts again and again', () => {
    const $defs: Record<string, object> = { last: { type: 'string' } };
    for (let i = 0; i < 40; i++) {
      const next = { $ref: i === 0 ? '#/$defs/last' : `#/$defs/d${i - 1}` };
      $defs[`d${i}`] = { anyOf: [next, next] };
    }
    // 2^40 of them when written out.
    assert.match(schemaProblem({ $ref: '#/$defs/d39', $defs }, 1) ?? '', /refers to its own parts too many times/);
  });

  it('may refer to themselves', () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } };
    assert.equal(schemaProblem(tree, { children: [{ children: [] }] }), undefined);
    assert.match(schemaProblem(tree, { children: [{ children: 7 }] }) ?? '', /array/);
  });
});
