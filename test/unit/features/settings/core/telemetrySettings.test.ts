import assert from 'node:assert/strict';
import { english } from '../../../../../src/base/phrase';
import { parseTelemetry } from '../../../../../src/features/settings/core/telemetrySettings';

const problemOf = (value: unknown) => {
  const parsed = parseTelemetry(value);
  return 'values' in parsed ? english(parsed) : assert.fail(JSON.stringify(parsed));
};
const endpoint = 'http://localhost:4318';

describe('the setting openTelemetry', () => {
  it('names a receiver, with headers, and content only if it says so', () => {
    assert.deepEqual(parseTelemetry({ endpoint }), { endpoint, headers: {}, content: false });
    const headers = { Authorization: 'Bearer ${input:token}', 'X-Team': '${env:TEAM} $${literal}' };
    assert.deepEqual(parseTelemetry({ endpoint: 'https://otel.example/base//', headers, content: true }), {
      endpoint: 'https://otel.example/base',
      headers,
      content: true,
    });
    // Read again, it says the same.
    assert.deepEqual(parseTelemetry(parseTelemetry({ endpoint })), parseTelemetry({ endpoint }));
  });

  for (const value of [undefined, null, 'http://localhost:4318', [], 7]) {
    it(`is not ${JSON.stringify(value)}`, () => {
      assert.match(problemOf(value), /^"openTelemetry" is an object with the key "endpoint"$/);
    });
  }

  for (const wrong of [
    undefined,
    '',
    'localhost:4318',
    'ftp://localhost',
    'file:///etc/passwd',
    'http://user:password@localhost',
    'http://localhost/?a=b',
    'http://localhost/#a',
    `http://localhost/${'x'.repeat(10_000)}`,
  ]) {
    it(`does not take the endpoint ${String(wrong).slice(0, 40)}`, () => {
      assert.match(problemOf({ endpoint: wrong }), /^"openTelemetry.endpoint" is an address/);
    });
  }

  for (const headers of [[], 'a', { a: 1 }, { 'a b': 'c' }, { a: 'b\r\nc: d' }, { a: 'x'.repeat(10_000) }]) {
    it(`does not take the headers ${JSON.stringify(headers).slice(0, 30)}`, () => {
      assert.match(problemOf({ endpoint, headers }), /^"openTelemetry.headers" is an object of texts/);
    });
  }

  for (const variable of ['config:a', 'workspaceFolder', 'userHome', 'workspaceFolder:a']) {
    it(`lets a workspace have no say by \${${variable}}`, () => {
      assert.match(
        problemOf({ endpoint, headers: { a: `x\${${variable}}` } }),
        /takes only these variables: \$\{env:NAME\}, \$\{input:id\}$/,
      );
    });
  }

  it('takes no key that it does not know, and no other value for "content"', () => {
    assert.match(problemOf({ endpoint, arguments: true }), /"arguments" is not known to this version/);
    assert.match(problemOf({ endpoint, content: 'yes' }), /"openTelemetry.content" is none of these: true, false/);
  });
});
