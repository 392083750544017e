import assert from 'node:assert/strict';
import { formatSize } from '../../../src/base/numberText';

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
