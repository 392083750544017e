import * as assert from 'node:assert/strict';
import { ServerMemory } from '../../../src/editor/storage';
import { temporaryFolder } from '../../setup/paths';

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
