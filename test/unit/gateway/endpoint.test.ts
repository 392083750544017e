import assert from 'node:assert/strict';
import { parameterHeaderMismatch } from '../../../src/gateway/endpoint';
import { fixture } from '../host/testHost';
import { TestGateway } from './testGateway';

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

  it('that do not fit end a call with the code of the specification @endpoint.fit-end-call', async () => {
    const t = new TestGateway();
    try {
      await t.serve({ suite: fixture('suite') });
      const name = 'test_parameter_header';
      const version = '2026-07-28';
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      };
      const call = async (region: string) => {
        const response = await t.fetch('suite', {
          method: 'POST',
          headers: {
            ...t.address('suite').headers,
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            'MCP-Protocol-Version': version,
            'Mcp-Method': 'tools/call',
            'Mcp-Name': name,
            'Mcp-Param-Region': region,
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name, arguments: { region: 'eu' }, _meta },
          }),
        });
        return { status: response.status, text: await response.text() };
      };
      const refused = await call('us');
      assert.equal(refused.status, 400);
      assert.equal(JSON.parse(refused.text).error.code, -32020);
      assert.equal((await call('eu')).status, 200);
    } finally {
      await t.close();
    }
  });
});
