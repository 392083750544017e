import assert from 'node:assert/strict';
import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { english } from '../../../../src/base/phrase';
import { outputProblem } from '../../../../src/host';

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
  });

  it('reports invalid or missing content of an executed tool', () => {
    const wrong = /^The tool was carried out, but its structured content does not fit its output schema: .*number/;
    assert.match(said(schema, { a: 'x' }) ?? '', wrong);
    assert.match(said(schema) ?? '', /^The tool was carried out, but its result lacks the structured content/);
    assert.match(said({ type: 'object' }, [1]) ?? '', /does not fit/);
    assert.ok((said({ const: 'x' }, { a: 'y'.repeat(10_000) }) ?? '').length < 500);
  });

  it('reports a schema that cannot be checked: an unsupported dialect, or an external reference', () => {
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

  it("checks by the schema's dialect: 2020-12, 2019-09, draft-07, draft-06, or 2020-12 by default", () => {
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
