import assert from 'node:assert/strict';
import { Backoff, retryAfterMs } from '../../../../src/host/transport/backoff';

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

  it("are never shorter than the server's value, nor endless @backoff.shorter-server-value", () => {
    const backoff = new Backoff();
    assert.equal(backoff.next(60_000), 60_000);
    assert.equal(backoff.next(1e15), 3_600_000);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('Wed, 21 Oct 2015 07:28:00 GMT');

  it('is a number of seconds or a date', () => {
    assert.equal(retryAfterMs('0', now), 0);
    assert.equal(retryAfterMs(' 120 ', now), 120_000);
    assert.equal(retryAfterMs('Wed, 21 Oct 2015 07:28:30 GMT', now), 30_000);
    assert.equal(retryAfterMs('Wed, 21 Oct 2015 07:00:00 GMT', now), 0);
  });

  for (const nonsense of [null, '', '-1', '1.5', 'soon', '12 s', 'Infinity']) {
    it(`is ignored when it is ${JSON.stringify(nonsense)}`, () => assert.equal(retryAfterMs(nonsense, now), undefined));
  }
});
