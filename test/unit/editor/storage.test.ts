import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import { keepIn, ServerMemory } from '../../../src/editor/storage';
import { temporaryFolder } from '../../setup/paths';

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
  it('are kept even where the editor drops an update @storage.kept-editor-drops', async () => {
    const { memento, kept, tried } = dropping(2);
    await keepIn(memento, 'denials', { a: 'deny' });
    assert.deepEqual(kept.get('denials'), { a: 'deny' });
    await keepIn(memento, 'denials', undefined);
    assert.equal(kept.get('denials'), undefined);
    assert.equal(tried(), 4);
  });

  it('fail with an error when they cannot be stored @storage.fail-error-stored', async () => {
    await assert.rejects(keepIn(dropping(100).memento, 'denials', 1), /does not keep "denials"/);
  });
});

describe('stored server memory', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it('returns what was written last, even while it is still being written', async () => {
    const memory = new ServerMemory(folder);
    for (let round = 0; round < 20; round++) {
      // The later one is done sooner.
      const written = [memory.write('one', 'x'.repeat(1_000_000)), memory.write('one', round)];
      assert.equal(await memory.read('one'), round);
      await Promise.all(written);
      assert.equal(await memory.read('one'), round);
    }
  });

  it('is deleted when empty or too large', async () => {
    const memory = new ServerMemory(folder, { maxBytes: 10 });
    for (const nothing of [undefined, 'x'.repeat(20)]) {
      await memory.write('one', 1);
      await memory.write('one', nothing);
      assert.equal(await memory.read('one'), undefined);
    }
  });
});
