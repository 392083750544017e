import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { english } from '../../../../src/base/phrase';
import { argumentProblem, outputProblem, schemaProblem } from '../../../../src/host';
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
    assert.equal(schemaProblem(schema, { state: 'x' }), 'state must be "open" or "closed".');
    assert.equal(schemaProblem(schema, {}), 'state is required.');
    const typed = 'list[1] must be a number, not a string.';
    assert.equal(schemaProblem(schema, { state: 'open', list: [1, 'x'] }), typed);
  });

  it('name every mistake of arguments', () => {
    const properties = { title: { type: 'string' }, count: { type: 'integer', minimum: 1 } };
    const schema = { type: 'object', properties, required: ['title', 'board'] };
    const all = 'board is required; title must be a string, not a number; count must be at least 1.';
    assert.equal(argumentProblem(schema, { title: 5, count: 0 }), all);
  });

  it('are explained in plain words', () => {
    for (const [schema, value, expected] of [
      [{ type: 'object' }, [], 'the value must be an object, not an array.'],
      [{ type: ['string', 'null'] }, 5, 'the value must be a string or null, not a number.'],
      [{ const: 'a.' }, 'b', 'the value must be "a.".'],
      [{ const: { a: 1 } }, 'b', 'the value must be {"a":1}.'],
      [
        { enum: Array.from({ length: 12 }, (_, index) => index) },
        'b',
        'the value must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more.',
      ],
      [{ minimum: 3 }, 2, 'the value must be at least 3.'],
      [{ maximum: 3 }, 4, 'the value must be at most 3.'],
      [{ exclusiveMinimum: 3 }, 3, 'the value must be greater than 3.'],
      [{ exclusiveMaximum: 3 }, 3, 'the value must be less than 3.'],
      [{ multipleOf: 2 }, 3, 'the value must be a multiple of 2.'],
      [{ minLength: 3 }, 'a', 'the value must have at least 3 characters.'],
      [{ maxLength: 1 }, 'abc', 'the value must have at most 1 characters.'],
      [{ format: 'email' }, 'abc', 'the value must have the format email.'],
      [{ minItems: 2 }, [1], 'the value must have at least 2 items.'],
      [{ maxItems: 1 }, [1, 2], 'the value must have at most 1 items.'],
      [{ uniqueItems: true }, [1, 1], 'the value must not have the same item twice, as at 0 and 1.'],
      [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, 'b is not allowed.'],
      [
        { properties: { 'a/b': { properties: { c: { type: 'integer' } } } } },
        { 'a/b': { c: 'x' } },
        'a/b.c must be a whole number, not a string.',
      ],
      [{ items: { required: ['a'] } }, [{}], '[0].a is required.'],
      [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'the value must have "b", because it has "a".'],
      [{ not: {} }, 1, 'the value must not be what it is.'],
    ] as [Record<string, unknown>, unknown, string][])
      assert.equal(schemaProblem(schema, value), expected, JSON.stringify(schema));
  });

  it('check what they can where their dialect does not allow the rest', () => {
    for (const part of [
      { type: 'strin' },
      { minLength: -1 },
      { maximum: null, minimum: 'x' },
      { exclusiveMinimum: true },
      { items: 5 },
      { pattern: '[' },
      { allOf: {}, anyOf: [5], properties: [] },
      { required: ['a', 'a'] },
    ]) {
      const properties = { a: part, b: { type: 'number' }, c: 5 };
      const schema = { type: 'object', properties, required: ['b'] };
      assert.equal(schemaProblem(schema, { a: 'x', b: 1, c: 1 }), undefined, JSON.stringify(part));
      assert.equal(schemaProblem(schema, { a: 'x', b: 'y' }), 'b must be a number, not a string.');
    }
    assert.ok(schemaProblem({ const: null }, 1));
  });

  it('cannot block the editor by a regular expression @schemaProblems.block-editor-regular', () => {
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
  it('can use the dialects that docs/chat.md names @schemaProblems.use-dialects-docs', () => {
    const documented = readFileSync(inRepository('docs/chat.md'), 'utf8');
    const [, named = ''] = /is read as JSON Schema ([\s\S]*?)\s+are understood too/.exec(documented) ?? [];
    assert.deepEqual(named.match(/draft-\d+|\d{4}-\d{2}/g), dialects);
  });

  for (const dialect of dialects) {
    it(`can use the dialect ${dialect} @schemaProblems.use-dialect`, () => {
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

  it('of another dialect are reported, and check nothing @schemaProblems.dialect-reported-check', () => {
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

  it('cannot block the editor by exponentially expanding references @schemaProblems.block-editor', () => {
    const $defs: Record<string, object> = { last: { type: 'string' } };
    for (let i = 0; i < 40; i++) {
      const next = { $ref: i === 0 ? '#/$defs/last' : `#/$defs/d${i - 1}` };
      $defs[`d${i}`] = { anyOf: [next, next] };
    }
    // 2^40 of them when written out.
    assert.match(schemaProblem({ $ref: '#/$defs/d39', $defs }, 1) ?? '', /it would take too long/);
  });

  it('cannot block the editor together with a value @schemaProblems.block-together', () => {
    const twice = { anyOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }] };
    let deep: unknown = {};
    for (let level = 0; level < 60; level++) deep = { a: deep };
    const items = Array.from({ length: 20_000 }, (_, index) => ({ index }));
    const alternatives = Array.from({ length: 5_000 }, (_, index) => ({ required: [`r${index}`] }));
    const objects = Array.from({ length: 5_000 }, (_, index) => ({ index: -index }));
    for (const [schema, value] of [
      [twice, deep],
      [{ items: { anyOf: alternatives } }, items],
      [{ items: { enum: objects } }, items],
      [{ uniqueItems: true }, items],
      [{ anyOf: alternatives.map(() => ({ minLength: 2 })) }, 'x'.repeat(1_000_000)],
    ] as const)
      assert.match(schemaProblem(schema, value) ?? '', /it would take too long/);
  });

  it('check a large value of an ordinary schema', () => {
    const codes = Array.from({ length: 200 }, (_, index) => `C${index}`);
    const row = { type: 'object', properties: { code: { enum: codes }, name: { type: 'string' } }, required: ['code'] };
    const rows = Array.from({ length: 50_000 }, (_, index) => ({ code: `C${index % 200}`, name: 'x'.repeat(50) }));
    assert.equal(schemaProblem({ type: 'array', items: row }, rows), undefined);
    assert.match(schemaProblem({ type: 'array', items: row }, [...rows, { code: 'none' }]) ?? '', /\[50000\]/);
  });

  it('can be recursive', () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } };
    assert.equal(schemaProblem(tree, { children: [{ children: [] }] }), undefined);
    assert.match(schemaProblem(tree, { children: [{ children: 7 }] }) ?? '', /array/);
  });
});

describe('a schema without a dialect', () => {
  it('is of JSON Schema 2020-12 @schemaProblems.json-schema-2020', () => {
    const pair = { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false };
    assert.equal(schemaProblem(pair, ['a', 1]), undefined);
    assert.ok(schemaProblem(pair, ['a', 'b']));
    assert.ok(schemaProblem(pair, ['a', 1, 2]));
    const card = { type: 'object', dependentRequired: { number: ['name'] }, unevaluatedProperties: false };
    assert.ok(schemaProblem(card, { number: 1 }));
  });
});

describe('a schema that refers to another document', () => {
  it('is refused, and nothing is fetched @schemaProblems.refused-fetched', async () => {
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

const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const;
const said = (outputSchema: unknown, structuredContent?: unknown, more: Partial<CallToolResult> = {}) => {
  const problem = outputProblem({ outputSchema: outputSchema as NonNullable<Tool['outputSchema']> }, {
    content: [],
    ...more,
    ...(structuredContent !== undefined && { structuredContent }),
  } as CallToolResult);
  return problem && english(problem);
};

describe('outputProblem', () => {
  it('is undefined for a valid result, a tool without a schema, and a failed tool', () => {
    assert.equal(said(schema, { a: 1 }), undefined);
    assert.equal(said(undefined, { a: 'x' }), undefined);
    assert.equal(said(undefined), undefined);
    assert.equal(said(schema, undefined, { isError: true }), undefined);
    assert.equal(said(schema, { a: 'x' }, { isError: true }), undefined);
    assert.equal(said({ type: 'array', items: { type: 'string' } }, ['x']), undefined);
    assert.deepEqual([said({ type: 'null' }, null), said({ type: 'null' })], [undefined, undefined], 'nothing');
  });

  it('reports invalid or missing content of an executed tool @schemaProblems.reports-invalid-missing', () => {
    const wrong = /^The tool was carried out, but its structured content does not fit its output schema: .*number/;
    assert.match(said(schema, { a: 'x' }) ?? '', wrong);
    assert.match(said(schema) ?? '', /^The tool was carried out, but its result lacks the structured content/);
    assert.match(said({ type: 'object' }, [1]) ?? '', /does not fit/);
    assert.ok((said({ const: 'x' }, { a: 'y'.repeat(10_000) }) ?? '').length < 500);
  });

  it('reports a schema that cannot be checked: an unsupported dialect, or an external reference @schemaProblems.reports-schema-checked', () => {
    const unchecked = 'The tool was carried out, but its result could not be checked against its output schema: ';
    const dialect = 'http://json-schema.org/draft-04/schema#';
    assert.equal(
      said({ ...schema, $schema: dialect }, { a: 1 }),
      `${unchecked}the dialect ${dialect} is not supported, only 2020-12, 2019-09, draft-07, draft-06`,
    );
    for (const $ref of ['https://example.com/other.json', '#/$defs/missing', 'file:///etc/passwd']) {
      const problem = said({ type: 'object', properties: { a: { $ref } } }, { a: 1 }) ?? '';
      assert.ok(problem.startsWith(unchecked), problem);
      assert.match(problem, /Unresolved \$ref/);
    }
  });

  it("checks by the schema's dialect: 2020-12, 2019-09, draft-07, draft-06, or 2020-12 by default @schemaProblems.checks-schema-dialect", () => {
    const tuple = [{ type: 'number' }];
    for (const dialect of ['draft/2020-12', 'draft/2019-09', 'draft-07', 'draft-06']) {
      const $schema = `https://json-schema.org/${dialect}/schema`;
      const key = dialect === 'draft/2020-12' ? 'prefixItems' : 'items';
      assert.equal(said({ $schema, type: 'array', [key]: tuple }, [1]), undefined, dialect);
      assert.match(said({ $schema, type: 'array', [key]: tuple }, ['x']) ?? '', /does not fit/, dialect);
    }
    assert.match(said({ type: 'array', prefixItems: tuple }, ['x']) ?? '', /does not fit/);
  });
});
