import assert from 'node:assert/strict';
import { portions } from '../../setup/portions';

describe('the portions of a run', () => {
  const ms: Record<string, number> = { a: 18_000, b: 6_000, c: 8_000, d: 200, e: 14_000 };
  const files = Object.keys(ms);
  const msOf = (file: string) => ms[file]!;

  it('begin with what takes longest, and put together what is short', () => {
    assert.deepEqual(portions(files, msOf), [['a'], ['e'], ['c', 'b'], ['d']]);
  });

  it('are as many as wanted where each file has little to do, and never empty', () => {
    assert.deepEqual(portions(files, msOf, 2), [
      ['a', 'c', 'd'],
      ['e', 'b'],
    ]);
    assert.deepEqual(portions(['a'], msOf, 4), [['a']]);
  });
});
