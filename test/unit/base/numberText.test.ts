import assert from 'node:assert/strict';
import {
  formatDuration,
  formatSize,
  numberText,
  roundedNote,
  sizePhrase,
  writeNumbersIn,
} from '../../../src/base/numberText';
import { english } from '../../../src/base/phrase';

describe('numbers for people', () => {
  afterEach(() => writeNumbersIn('en-US'));

  it('are English where no language was set', () => {
    const texts = [numberText(1_234_567), numberText(0.5), numberText(2, 1), numberText(1 / 3)];
    assert.deepEqual(texts, ['1,234,567', '0.5', '2.0', '0.333']);
  });

  it('have the signs of the language, in sizes and durations too', () => {
    assert.equal(numberText(0.5), '0.5');
    writeNumbersIn('de');
    assert.deepEqual([numberText(1_234_567), numberText(0.5), numberText(2, 1)], ['1.234.567', '0,5', '2,0']);
    assert.deepEqual([1_536, 12_288, 12].map(formatSize), ['1,5 KB', '12 KB', '12 B']);
    const durations = [formatDuration(3_400), formatDuration(1_250, true), formatDuration(0.42, true)];
    assert.deepEqual(durations, ['3,4 s', '1,25 s', '0,4 ms']);
  });

  it('stay English in what a phrase says to logs and models', () => {
    writeNumbersIn('de');
    assert.equal(english(sizePhrase(1_536)), '1.5 KB');
  });

  for (const tag of ['zh-cn', 'pt-br', 'qps-ploc'])
    it(`take the name that the editor has for a language: ${tag}`, () => {
      writeNumbersIn(tag);
      assert.match(numberText(0.5), /^0[.,]5$/);
    });
});

describe('formatSize', () => {
  it('rounds to two digits at most, with a unit', () => {
    const sizes = [0, 12, 1_023, 1_024, 1_536, 12_288, 5 * 1024 ** 2, 3.25 * 1024 ** 3, 2_000 * 1024 ** 4];
    assert.deepEqual(sizes.map(formatSize), [
      ...['0 B', '12 B', '1023 B', '1 KB', '1.5 KB', '12 KB', '5 MB', '3.3 GB', '2000 TB'],
    ]);
  });

  it('returns nothing for what is no size', () => {
    assert.deepEqual([-1, Number.NaN, Number.POSITIVE_INFINITY].map(formatSize), ['', '', '']);
  });
});

describe('formatDuration', () => {
  it('uses the unit that people use', () => {
    const durations = [3.6, 999, 3_400, 125_000].map(ms => formatDuration(ms));
    assert.deepEqual(durations, ['4 ms', '999 ms', '3.4 s', '2 min 5 s']);
  });

  it('gives more digits where durations are compared', () => {
    const durations = [0.42, 9.99, 12.3, 999, 1_250, 125_000].map(ms => formatDuration(ms, true));
    assert.deepEqual(durations, ['0.4 ms', '10.0 ms', '12 ms', '999 ms', '1.25 s', '2 min 5 s']);
  });
});

describe('roundedNote', () => {
  it('is of data with integers between 53 and 64 bits', () => {
    for (const json of ['9007199254740993', '[[-9007199254740993]]', '{"a":{"b":18446744073709551615}}'])
      assert.ok(roundedNote(JSON.parse(json)), json);
    for (const json of ['9007199254740991', '[1e300, 0.1]', '{"a":"9007199254740993"}', 'null'])
      assert.equal(roundedNote(JSON.parse(json)), undefined, json);
  });
});
