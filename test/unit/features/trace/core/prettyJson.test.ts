import assert from 'node:assert/strict';
import { prettyJson } from '../../../../../src/features/trace/core/prettyJson';

describe('prettyJson', () => {
  it('has one line for each member, and keeps the digits of numbers', () => {
    const text = '{"a":[1,{"b":12345678901234567890.10}],"c":{},"d":[ ],"e":"{,:\\"}"}';
    const pretty = prettyJson(text);
    assert.equal(
      pretty,
      '{\n  "a": [\n    1,\n    {\n      "b": 12345678901234567890.10\n    }\n  ],\n  "c": {},\n  "d": [],\n  "e": "{,:\\"}"\n}',
    );
    assert.deepEqual(JSON.parse(pretty), JSON.parse(text));
  });

  it('shows hidden characters, and accepts truncated text', () => {
    assert.equal(prettyJson('{"a":"\u202e'), '{\n  "a": "\\u202e');
    assert.equal(prettyJson('nope }]'), 'nope\n}\n]');
  });

  it('takes linear time for one long text', () => {
    const long = JSON.stringify({ data: 'ab\\'.repeat(300_000) });
    assert.equal(JSON.parse(prettyJson(long)).data.length, 900_000);
  });
});
