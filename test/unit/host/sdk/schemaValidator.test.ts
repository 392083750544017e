import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { schemaProblem } from '../../../../src/host';
import { inRepository } from '../../../setup/paths';

describe('schemas of servers', () => {
  it('are checked', () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    assert.equal(schemaProblem(schema, { a: 1 }), undefined);
    assert.match(schemaProblem(schema, { a: 'x' }) ?? '', /number/);
    assert.ok(schemaProblem(schema, {}));
  });

  it('report the location and the problem', () => {
    const list = { type: 'array', items: { type: 'number' } };
    const schema = { type: 'object', properties: { state: { enum: ['open', 'closed'] }, list }, required: ['state'] };
    assert.equal(schemaProblem(schema, { state: 'x' }), '#/state: must be one of ["open","closed"].');
    assert.equal(schemaProblem(schema, {}), 'required property missing: "state".');
    const typed = '#/list/1: type "string" is invalid. Expected "number".';
    assert.equal(schemaProblem(schema, { state: 'open', list: [1, 'x'] }), typed);
  });

  it('cannot block the editor by a regular expression', () => {
    const evil = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    assert.equal(schemaProblem(evil, { a: `${'a'.repeat(80)}!` }), undefined);
  });

  it('may have properties and constants named "pattern"', () => {
    const schema = { type: 'object', properties: { pattern: { type: 'number' }, kind: { const: { pattern: 1 } } } };
    assert.ok(schemaProblem(schema, { pattern: 'x' }));
    assert.ok(schemaProblem(schema, { kind: { pattern: 2 } }));
    assert.equal(schemaProblem(schema, { pattern: 1, kind: { pattern: 1 } }), undefined);
  });

  const dialects = ['2020-12', '2019-09', 'draft-07', 'draft-06'];
  it('can use the dialects that docs/chat.md names', () => {
    const documented = readFileSync(inRepository('docs/chat.md'), 'utf8');
    const [, named = ''] = /is read as JSON Schema ([\s\S]*?)\s+are understood too/.exec(documented) ?? [];
    assert.deepEqual(named.match(/draft-\d+|\d{4}-\d{2}/g), dialects);
  });

  for (const dialect of dialects) {
    it(`can use the dialect ${dialect}`, () => {
      const isDraft = dialect.startsWith('draft');
      const $schema = isDraft
        ? `http://json-schema.org/${dialect}/schema#`
        : `https://json-schema.org/draft/${dialect}/schema`;
      // How tuples are written tells the newest from the others.
      const tuple = dialect === '2020-12' ? { prefixItems: [{ type: 'number' }] } : { items: [{ type: 'number' }] };
      const schema = { $schema, type: 'object', properties: { a: { type: 'array', ...tuple } } };
      assert.equal(schemaProblem(schema, { a: [1, 'x'] }), undefined);
      assert.ok(schemaProblem(schema, { a: ['x'] }));
    });
  }

  it('default to 2020-12', () => {
    const schema = { type: 'array', prefixItems: [{ type: 'number' }], unevaluatedItems: false };
    assert.equal(schemaProblem(schema, [1]), undefined);
    assert.ok(schemaProblem(schema, ['x']));
    assert.ok(schemaProblem(schema, [1, 2]));
  });

  it('of another dialect are reported, and check nothing', () => {
    for (const $schema of ['http://json-schema.org/draft-04/schema#', 'https://example.com/my-dialect', '']) {
      assert.match(
        schemaProblem({ $schema, type: 'object' }, {}) ?? '',
        /can't be used: the dialect .* is not supported/,
      );
    }
  });

  it('fetch no references', () => {
    const schema = { type: 'object', properties: { a: { $ref: 'https://example.com/schema.json' } } };
    assert.match(schemaProblem(schema, { a: 1 }) ?? '', /can't be used/);
  });

  it('that are invalid are reported', () => {
    assert.equal(typeof schemaProblem({ type: 'object', $ref: '#/nowhere' }, {}), 'string');
  });

  it('cannot block the editor by exponentially expanding references', () => {
    const $defs: Record<string, object> = { last: { type: 'string' } };
    for (let i = 0; i < 40; i++) {
      const next = { $ref: i === 0 ? '#/$defs/last' : `#/$defs/d${i - 1}` };
      $defs[`d${i}`] = { anyOf: [next, next] };
    }
    // 2^40 of them when written out.
    assert.match(schemaProblem({ $ref: '#/$defs/d39', $defs }, 1) ?? '', /refers to its own parts too many times/);
  });

  it('can be recursive', () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } };
    assert.equal(schemaProblem(tree, { children: [{ children: [] }] }), undefined);
    assert.match(schemaProblem(tree, { children: [{ children: 7 }] }) ?? '', /array/);
  });
});
