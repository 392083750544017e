import assert from 'node:assert/strict';
import { indentedJson, mapTexts } from '../../../src/base/json';

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

describe('JSON in lines', () => {
  it('is the value, indented where that is not most of the text', () => {
    const value = { a: [{ b: [{ c: 'd' }] }] };
    assert.equal(indentedJson(value), JSON.stringify(value, null, 2));
    const points = { type: 'Polygon', coordinates: [[Array.from({ length: 10_000 }, (_, n) => [n, n / 7])]] };
    assert.equal(indentedJson(points), JSON.stringify(points, null, 2));
    assert.equal(indentedJson(undefined), 'null');
  });

  it('has no more spaces than some for each character, however deep it is', () => {
    for (const levels of [40, 490]) {
      let value: unknown = new Array(50_000).fill(0);
      for (let level = 0; level < levels; level++) value = [value];
      const json = indentedJson(value);
      assert.deepEqual(JSON.parse(json), value);
      assert.ok(json.length < 1_000_000, `${levels}: ${json.length}`);
    }
  });
});
