import assert from 'node:assert/strict';
import { Backoff } from '../../../../src/host/transport/backoff';

describe('the pauses before a stream is reopened', () => {
  it("double up to half a minute, from one second or the server's value", () => {
    const backoff = new Backoff();
    assert.deepEqual(
      Array.from({ length: 7 }, () => backoff.next()),
      [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000],
    );
    backoff.reset();
    assert.deepEqual([backoff.next(100), backoff.next(100), backoff.next(0)], [100, 200, 80]);
  });

  it("are never shorter than the server's value, nor endless", () => {
    const backoff = new Backoff();
    assert.equal(backoff.next(60_000), 60_000);
    assert.equal(backoff.next(1e15), 3_600_000);
  });
});
