import assert from 'node:assert/strict';
import { PerMinute } from '../../../src/base/rateAllowance';

describe('what happens at most so often a minute', () => {
  it('waits for the first of the last minute, for each key on its own, and never ends where nothing is allowed', () => {
    let now = 1_000;
    const times = new PerMinute(() => now);
    assert.deepEqual([times.wait('a', 2), times.wait('a', 2), times.wait('b', 2)], [0, 0, 0]);
    now += 10_000;
    assert.equal(times.wait('a', 2), 50_000);
    now += 50_000;
    assert.equal(times.wait('a', 2), 0);
    for (const most of [0, -1]) assert.ok(times.wait('c', most) > 0, String(most));
  });
});
