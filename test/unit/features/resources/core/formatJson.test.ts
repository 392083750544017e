import assert from 'node:assert/strict';
import { formatJson } from '../../../../../src/features/resources/core/formatJson';

describe('formatJson', () => {
  it('spreads minified JSON over lines as JSON.stringify does', () => {
    const values = [
      { name: 'x', list: [1, -2.5e3, { deep: [true, null, 'a,b:{"[\\"]}'] }], empty: {}, none: [], '': '' },
      [[], {}, [[]], [{}], 'ä\u2028🗣'],
      'text',
      0,
    ];
    for (const value of values) assert.equal(formatJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
    assert.equal(formatJson('  { "a" : [ ] , "b":[ 1 ] }\t'), '{\n  "a": [],\n  "b": [\n    1\n  ]\n}');
  });

  it('changes only white space: long numbers, duplicate keys and order stay', () => {
    const text = '{"2":12345678901234567890,"1":1.10,"2":1E+2,"s":"\\u0041  \\/"}';
    assert.equal(formatJson(text).replace(/\n\s*/g, '').replaceAll('": ', '":'), text);
  });

  it('leaves alone invalid, multi-line, oversized and too deep JSON', () => {
    for (const text of ['', 'no', '{"a":}', '{\n"a":1}', '[1] [2]', "{'a':1}"]) assert.equal(formatJson(text), text);
    const large = `["${'x'.repeat(6_000_000)}"]`;
    assert.equal(formatJson(large), large);
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    assert.equal(formatJson(deep), deep);
    const wide = `${'['.repeat(99)}${'1,'.repeat(1_000_000)}1${']'.repeat(99)}`;
    assert.equal(formatJson(wide), wide);
  });

  it('handles a long string', () => {
    const text = `["${'\\"x'.repeat(1_000_000)}"]`;
    assert.equal(formatJson(text), `[\n  ${text.slice(1, -1)}\n]`);
  });
});
