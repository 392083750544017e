import assert from 'node:assert/strict';
import { TestClock } from '../../../../../src/features/authors/core/testSession';
import { withClock } from '../../../clock';

describe('the time of tests', () => {
  const time = withClock();

  it('ends a limit, unless that was ended before', async () => {
    const clock = new TestClock();
    const [reached, ended] = [clock.limit(10), clock.limit(10)];
    await time.pass(9);
    ended.end();
    assert.ok(!reached.signal.aborted);
    await time.pass(1);
    assert.ok(reached.signal.aborted);
    assert.ok(!ended.signal.aborted);
  });

  it('stands still while a program is paused, for what began before and for what begins then', async () => {
    const clock = new TestClock();
    const start = clock.now();
    const before = clock.limit(10);
    await time.pass(4);
    clock.stand(true);
    clock.stand(true);
    const meanwhile = clock.limit(1);
    await time.pass(100);
    assert.equal(clock.now() - start, 4);
    assert.ok(!before.signal.aborted && !meanwhile.signal.aborted);
    clock.stand(false);
    await time.pass(1);
    assert.ok(meanwhile.signal.aborted);
    await time.pass(4);
    assert.ok(!before.signal.aborted);
    await time.pass(1);
    assert.ok(before.signal.aborted);
    assert.equal(clock.now() - start, 10);
  });

  it('has no limit left that was ended while it stood still', async () => {
    const clock = new TestClock();
    const limit = clock.limit(5);
    clock.stand(true);
    limit.end();
    clock.stand(false);
    await time.pass(10);
    assert.ok(!limit.signal.aborted);
  });
});
