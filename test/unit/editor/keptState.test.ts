import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { keepIn } from '../../../src/editor/storage';

/** A memento that drops the first updates, as the editor's does when word of an earlier one comes back. */
function dropping(updates: number) {
  const kept = new Map<string, unknown>();
  let tried = 0;
  const memento: Pick<Memento, 'get' | 'update'> = {
    get: (key: string) => kept.get(key) as never,
    update: async (key, value) => {
      if (tried++ >= updates) kept.set(key, value);
    },
  };
  return { memento: memento as Memento, kept, tried: () => tried };
}

describe('stored decisions of the person', () => {
  it('are kept even where the editor drops an update', async () => {
    const { memento, kept, tried } = dropping(2);
    await keepIn(memento, 'denials', { a: 'deny' });
    assert.deepEqual(kept.get('denials'), { a: 'deny' });
    await keepIn(memento, 'denials', undefined);
    assert.equal(kept.get('denials'), undefined);
    assert.equal(tried(), 4);
  });

  it('fail with an error when they cannot be stored', async () => {
    await assert.rejects(keepIn(dropping(100).memento, 'denials', 1), /does not keep "denials"/);
  });
});
