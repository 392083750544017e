import assert from 'node:assert/strict';
import { shallowJson } from '../../../src/base/shallowJson';

const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

describe('a text of JSON from elsewhere', () => {
  it('is not parsed when it is long and has levels by the thousand, which would block for seconds @shallowJson.parsed-long-levels', () => {
    assert.equal(shallowJson(nested(2_000_000)), undefined);
    assert.equal(shallowJson(`{"a":"${'\\\\'.repeat(1_000_000)}","b":${nested(6_000)}}`), undefined);
    assert.ok(shallowJson(nested(100_000)));
  });

  it('is not parsed when it has values by the million, which would fill the memory @shallowJson.parsed-many-values', () => {
    for (const value of ['{}', '[]', '0', '"[{,"']) {
      const list = (count: number) => `[${`${value},`.repeat(count)}${' '.repeat(2_000_000)}0]`;
      assert.equal(shallowJson(list(2_000_001)), undefined, value);
      assert.equal((shallowJson(list(10_000)) as unknown[]).length, 10_001, value);
    }
    assert.equal(shallowJson(JSON.stringify(['[{,'.repeat(2_000_000)]))?.toString().length, 6_000_000);
  });

  it('is parsed however long it is, and whatever stands in its strings', () => {
    const value = { deep: JSON.parse(nested(4_000)) as unknown, text: `"\\"[[{`.repeat(50_000), many: [[], {}, 'x"['] };
    const many = Array.from({ length: 200_000 }, () => value.many);
    const text = JSON.stringify({ ...value, deep: 0, many });
    assert.ok(text.length > 2_000_000);
    assert.deepEqual(shallowJson(text), JSON.parse(text));
    assert.ok(shallowJson(`${nested(4_000)}${' '.repeat(3_000_000)}`));
  });
});
