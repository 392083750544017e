import assert from 'node:assert/strict';
import { schemaProblem } from '../../../src/host';

describe('schemas of servers', () => {
  it('are checked', () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    assert.equal(schemaProblem(schema, { a: 1 }), undefined);
    assert.match(schemaProblem(schema, { a: 'x' }) ?? '', /number/);
    assert.ok(schemaProblem(schema, {}));
  });

  it('can not block the editor by a regular expression', () => {
    const started = performance.now();
    const evil = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    assert.equal(schemaProblem(evil, { a: `${'a'.repeat(40)}!` }), undefined);
    assert.ok(performance.now() - started < 500);
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
});
