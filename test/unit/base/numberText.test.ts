import assert from 'node:assert/strict';
import { formatDuration, formatSize, numberText, sizePhrase, writeNumbersIn } from '../../../src/base/numberText';
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
