import assert from 'node:assert/strict';
import { Pieces } from '../../../src/base/pieces';
import { bytesTouched } from '../host/transport/bytesTouched';

describe('bytes in pieces', () => {
  it('are one afterwards, whatever their sizes', () => {
    const sizes = Array.from({ length: 300 }, (_, at) => (at * 7919) % 977);
    const pieces = new Pieces();
    const all = sizes.map((size, at) => Buffer.alloc(size, at));
    for (const piece of all) pieces.add(piece);
    assert.equal(pieces.length, Buffer.concat(all).length);
    assert.ok(pieces.take().equals(Buffer.concat(all)));
    assert.deepEqual([pieces.length, pieces.take().length], [0, 0]);
  });

  it('are known by their ends when nothing more is wanted of them', () => {
    for (const sizes of [[5], [1, 1, 1, 1, 1], [70_000, 70_000, 3], []]) {
      const pieces = new Pieces();
      const all = Buffer.concat(sizes.map((size, at) => Buffer.alloc(size, at + 1)));
      for (const [at, size] of sizes.entries()) pieces.add(Buffer.alloc(size, at + 1));
      const [first, last] = pieces.takeEnds(4);
      assert.ok(first.equals(all.subarray(0, 4)) && last.equals(all.subarray(-4)), sizes.join());
      assert.equal(pieces.length, 0);
    }
  });

  it('of one byte each are few buffers, and large ones are joined once @pieces.few-buffers', () => {
    const pieces = new Pieces();
    for (let at = 0; at < 100_000; at++) pieces.add(Buffer.of(at));
    assert.ok(pieces.count < 40, `${pieces.count} buffers`);
    pieces.take();
    const large = Buffer.alloc(1_000_000);
    const touched = bytesTouched(() => {
      for (let at = 0; at < 20; at++) pieces.add(large);
      pieces.take();
    });
    assert.ok(touched <= 20 * large.length, `${touched} bytes`);
  });
});
