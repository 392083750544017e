import assert from 'node:assert/strict';
import { KeptEvents } from '../../../../../src/features/events/core/keptEvents';
import { withClock } from '../../../clock';

describe('kept events', () => {
  const clock = withClock();
  let events: KeptEvents;
  beforeEach(() => {
    events = new KeptEvents();
  });
  const add = (eventId: unknown, data: unknown = {}) =>
    events.add({ eventId, name: 'x', timestamp: '2026-02-19T15:30:00Z', data }, 'x');

  it('are the newest hundred, newest first, and the others are counted', async () => {
    for (let i = 1; i <= 120; i++) {
      add(`${i}`);
      if (i % 40 === 0) await clock.pass(1_000);
    }
    assert.deepEqual(
      [events.all.length, events.all[0]?.id, events.all.at(-1)?.id, events.left.older],
      [100, '120', '21', 20],
    );
  });

  it('are left out and counted when there are more than fifty in a second', async () => {
    for (let i = 1; i <= 1_000; i++) assert.equal(add(`${i}`).isNew, true);
    assert.deepEqual([events.all.length, events.left.flooded], [50, 950]);
    await clock.pass(1_000);
    assert.equal(add('later').event?.id, 'later');
  });

  it('are known again by their ids, also those that were left out', () => {
    for (let i = 1; i <= 60; i++) add(`${i}`);
    assert.equal(add('1').isNew, false);
    assert.equal(add('60').isNew, false);
  });

  it('are cut when their payload is large, and dropped when all together are', async () => {
    const { event } = add('large', { text: 'x'.repeat(300_000) });
    assert.deepEqual([event?.payload.length, event?.isCut], [200_000, true]);
    for (let i = 0; i < 12; i++) add(`${i}`, { text: 'y'.repeat(190_000) });
    assert.ok(events.all.length < 12 && events.left.older > 0);
  });

  it('are never malformed', () => {
    const odd = [
      null,
      'text',
      [],
      { eventId: 1, name: 'x', data: {} },
      { eventId: 'a', name: 'other', data: {} },
      { eventId: 'a', name: 'x', data: [] },
      { eventId: 'a'.repeat(501), name: 'x', data: {} },
    ];
    for (const one of odd) assert.deepEqual(events.add(one, 'x'), { isNew: false });
    assert.deepEqual([events.all.length, events.left.unusable], [0, odd.length]);
    assert.equal(events.add({ eventId: 'b', name: 'x', data: {} }, 'x').event?.timestamp, '');
  });
});
