import assert from 'node:assert/strict';
import { sdkCall } from '../../../../../src/features/trace/core/copyAsCode';
import { call, http, reach } from './copiedMessages';

describe('sdkCall', () => {
  const { method, params } = call;

  it('connects over HTTP, with environment variables for secrets', () => {
    const text = sdkCall({ method, params, reach: reach(http) });
    assert.match(
      text,
      /new StreamableHTTPClientTransport\(new URL\(`https:\/\/example.com\/mcp\?api_key=\$\{process.env.HIDDEN\}`\)/,
    );
    assert.match(text, /Authorization: `Bearer \$\{process.env.API_TOKEN\}`,/);
    assert.match(text, /"X-Team": "blue",/);
    assert.match(text, /await client.callTool\(\{\n {2}name: "it's",\n {2}arguments: \{\n {4}a: "\$HOME `x`"/);
    assert.doesNotMatch(text, /tok-from-env|literal-secret|plainkey/);
  });

  it('launches a program', () => {
    const entry = { command: 'node', args: ['--token', 'redacted-1', 'a b'], env: { KEY: 'v' }, cwd: '/tmp' };
    const text = sdkCall({ method: 'tools/list', params: {}, reach: reach(entry) });
    assert.match(text, /args: \["--token", `\$\{process.env.HIDDEN\}`, "a b"\]/);
    assert.match(text, /env: \{ KEY: process.env\["KEY"\] \?\? '', \}/);
    assert.match(text, /await client.listTools\(\);/);
  });

  it('uses the general method for unknown requests', () => {
    const text = sdkCall({
      method: 'toString',
      params: { ['__proto__']: 1, 'a-b': 2 },
      reach: reach({ command: 'x' }),
    });
    assert.match(text, /client.request\(\{\n {2}method: "toString"/);
    assert.match(text, /\["__proto__"\]: 1,\n {4}"a-b": 2/);
    assert.match(
      sdkCall({ method: 'logging/setLevel', params: { level: 'info' }, reach: reach({ command: 'x' }) }),
      /setLoggingLevel\("info"\)/,
    );
  });
});
