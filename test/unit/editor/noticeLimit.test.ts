import assert from 'node:assert/strict';
import { PerMinute } from '../../../src/base/rateAllowance';
import { NoticeLimit } from '../../../src/editor/noticeLimit';

describe('notifications that servers cause', () => {
  let now: number;
  let limit: NoticeLimit;
  beforeEach(() => {
    now = 1_000;
    limit = new NoticeLimit(new PerMinute(() => now));
  });

  it('are limited to three open ones for each server @noticeLimit.limited-three-open', () => {
    const first = limit.open('a');
    assert.ok(first && limit.open('a') && limit.open('a'));
    assert.equal(limit.open('a'), undefined);
    assert.ok(limit.open('b'), 'another server has its own');
    first();
    assert.ok(limit.open('a'));
    assert.equal(limit.open('a'), undefined);
  });

  it('are limited to ten a minute, however fast they are closed @noticeLimit.limited-ten-minute', () => {
    for (let i = 0; i < 10; i++) limit.open('a')?.();
    assert.equal(limit.open('a'), undefined);
    now += 59_999;
    assert.equal(limit.open('a'), undefined);
    now += 1;
    assert.ok(limit.open('a'));
  });
});
