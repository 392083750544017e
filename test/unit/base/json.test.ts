import assert from 'node:assert/strict';
import { mapTexts } from '../../../src/base/json';

describe('texts in JSON that are replaced', () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 'a';
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { b: value };
    return value;
  };

  it('are found at any depth up to 500 levels, each with its path', () => {
    assert.deepEqual(
      mapTexts({ a: ['x', 1, null], b: 'y' }, (text, path) => `${text} ${path.join('.')}`),
      { a: ['x a.0', 1, null], b: 'y b' },
    );
    assert.equal(JSON.stringify(mapTexts(nested(400), text => text.toUpperCase())).includes('"A"'), true);
  });

  it('are not looked for deeper, where a regular expression could end the process @json.looked-deeper', () => {
    for (const levels of [502, 2_000, 50_000]) {
      let calls = 0;
      assert.throws(() => mapTexts(nested(levels), text => text.repeat(++calls)), /nested deeper than 500 levels/);
      assert.equal(calls, 0);
    }
  });
});
