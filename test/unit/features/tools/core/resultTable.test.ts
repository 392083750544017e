import assert from 'node:assert/strict';
import { tableOf } from '../../../../../src/features/tools/core/resultTable';

describe('tableOf', () => {
  it('accepts a list of objects, also as the only member of an object', () => {
    const rows = [{ a: 1 }, { a: 2, b: 'x' }];
    const table = {
      columns: ['a', 'b'],
      rows: [
        [1, undefined],
        [2, 'x'],
      ],
    };
    assert.deepEqual(tableOf(rows), table);
    assert.deepEqual(tableOf({ items: rows }), table);
  });

  it('rejects everything else', () => {
    const wide = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`c${i}`, i]));
    for (const value of [[], [1], [{}], 'x', null, { a: 1 }, [{ a: 1 }, 2], [wide], [{ a: {}, b: {}, c: 1 }]])
      assert.equal(tableOf(value), undefined, JSON.stringify(value));
  });
});
