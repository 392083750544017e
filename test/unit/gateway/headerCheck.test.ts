import assert from 'node:assert/strict';
import { parameterHeaderMismatch } from '../../../src/gateway/headerCheck';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    plain: { type: 'string' },
    deep: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
    flag: { type: 'boolean', 'x-mcp-header': 'Flag' },
  },
};
const problem = (args: unknown, headers: Record<string, string> = {}) =>
  parameterHeaderMismatch(schema, args, new Headers(headers));
const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe('headers that repeat arguments, at the gateway', () => {
  it('match as plain text, Base64 and numbers, and are not expected for absent arguments', () => {
    assert.equal(problem({ region: 'eu', plain: 'x' }, { 'mcp-param-region': 'eu' }), undefined);
    assert.equal(problem({ region: 'größer' }, { 'Mcp-Param-Region': encoded('größer') }), undefined);
    assert.equal(problem({ region: '=?base64?SGVsbG8=' }, { 'Mcp-Param-Region': '=?base64?SGVsbG8=' }), undefined);
    assert.equal(problem({ deep: { count: 42 } }, { 'Mcp-Param-Count': '42.0' }), undefined);
    assert.equal(problem({ flag: false }, { 'Mcp-Param-Flag': 'false' }), undefined);
    for (const args of [{}, { region: null }, undefined, null, 'x', [1]])
      assert.equal(problem(args, { 'Mcp-Param-Region': 'stale' }), undefined);
  });

  it('do not fit: missing, another value, or no Base64', () => {
    assert.equal(problem({ region: 'eu' }), 'the header Mcp-Param-Region is missing');
    assert.match(problem({ region: 'eu' }, { 'Mcp-Param-Region': 'us' })!, /not the value/);
    assert.match(problem({ deep: { count: 42 } }, { 'Mcp-Param-Count': '43' })!, /not the value/);
    for (const bad of ['=?base64?SGVsbG8?=', '=?base64?SGVs!!!bG8=?=', '=?base64?/w==?='])
      assert.match(problem({ region: 'Hello' }, { 'Mcp-Param-Region': bad })!, /not valid Base64/, bad);
  });

  it('are not looked for where no schema is, and not for ever', () => {
    assert.equal(parameterHeaderMismatch(undefined, { a: 1 }, new Headers()), undefined);
    const loop: Record<string, unknown> = { type: 'object' };
    loop.properties = { again: loop };
    assert.equal(parameterHeaderMismatch(loop, {}, new Headers()), undefined);
  });
});
