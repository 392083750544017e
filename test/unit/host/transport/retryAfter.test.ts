import assert from 'node:assert/strict';
import { retryAfterMs } from '../../../../src/host/transport/backoff';

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
