import assert from 'node:assert/strict';
import { EventNotices } from '../../../../../src/features/events/core/eventNotices';
import { withClock } from '../../../clock';

describe('notices of events', () => {
  const clock = withClock();

  it('appear one at a time, and what arrives meanwhile is summed up in the next', async () => {
    const shown: [number, string | undefined][] = [];
    let close = () => {};
    const notices = new EventNotices<string>(({ count, latest }) => {
      shown.push([count, latest]);
      return new Promise(resolve => {
        close = resolve;
      });
    });
    notices.add({ count: 1, latest: 'a' });
    notices.add({ count: 30, latest: 'b' });
    notices.add({ count: 5, latest: undefined });
    assert.deepEqual(shown, [[1, 'a']]);
    close();
    await clock.pass(9_000);
    assert.equal(shown.length, 1);
    await clock.pass(1_100);
    assert.deepEqual(shown[1], [35, 'b']);
    notices.dispose();
    close();
    notices.add({ count: 1, latest: 'c' });
    await clock.pass(20_000);
    assert.equal(shown.length, 2);
  });
});
