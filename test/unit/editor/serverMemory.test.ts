import * as assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ServerMemory } from '../../../src/editor/serverMemory';

describe('stored server memory', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'memory-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

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
