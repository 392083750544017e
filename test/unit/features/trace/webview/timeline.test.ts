import assert from 'node:assert/strict';
import type { ViewRow } from '../../../../../src/features/trace/traceMessages';
import type { ViewTexts } from '../../../../../src/features/trace/traceTexts';
import {
  AXIS,
  axisOf,
  drawingOf,
  Families,
  spokenTiming,
  waitsOf,
} from '../../../../../src/features/trace/webview/timeline';

const row = (seq: number, at: number, ms?: number, more: Partial<ViewRow> = {}): ViewRow => ({
  seq,
  at,
  server: 'one',
  direction: 'sent',
  kind: 'request',
  method: 'tools/call',
  status: ms === undefined ? 'pending' : 'ok',
  size: 1,
  ...(ms !== undefined && { ms }),
  ...more,
});

const told = (seq: number, at: number, parent: number): ViewRow => ({
  ...row(seq, at),
  kind: 'notification',
  method: 'notifications/progress',
  parent,
});

/** The rows as the page has them. */
const familiesOf = (rows: readonly ViewRow[]) => {
  const families = new Families(new Map(rows.map(one => [one.seq, one])));
  for (const one of rows) families.add(one);
  return families;
};

const numbers = (path: string) => [...path.matchAll(/[\d.]+/g)].map(Number);

describe('the waterfall axis', () => {
  it('spans from the first start to the last end, with a margin', () => {
    const axis = axisOf([row(1, 100, 100), row(2, 150, 150)]);
    assert.equal(axis.place(100), 0);
    assert.equal(axis.place(50), 0);
    assert.equal(Math.round(axis.place(300)), Math.round(AXIS / 1.04));
    assert.equal(axis.place(1e9), AXIS);
    assert.equal(Math.round(axis.after(axis.place(250))), 150);
    assert.deepEqual(axis.pauses, []);
  });

  it('shortens and marks pauses', () => {
    const hour = 3_600_000;
    const axis = axisOf([row(1, 0, 100), row(2, hour, 100)]);
    const [first, pause, second] = [axis.place(100), axis.place(hour) - axis.place(100), axis.place(hour + 100)];
    assert.ok(first > 0.4 * AXIS && pause < 0.11 * AXIS && second > 0.9 * AXIS, `${first} ${pause} ${second}`);
    assert.equal(axis.pauses.length, 1);
    assert.ok(axis.pauses[0]! > first && axis.pauses[0]! < axis.place(hour));
    assert.equal(Math.round(axis.after(axis.place(hour + 50))), hour + 50);
    const many = axisOf(Array.from({ length: 40 }, (_, n) => row(n, n * hour, 10)));
    assert.ok(many.place(10) > (0.6 * AXIS) / 40, String(many.place(10)));
  });

  it('is monotonic for any rows, and defined without rows', () => {
    const ats = [5, 1, 900, 3, 40_000, 40_001];
    const axis = axisOf([...ats.map((at, n) => row(n, at, n % 2 === 0 ? at / 10 : undefined))]);
    const places = [...ats].sort((a, b) => a - b).map(at => axis.place(at));
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
    assert.equal(axisOf([]).place(5), 0);
    assert.equal(axisOf([]).after(500), 0);
    assert.equal(axisOf([row(1, 7)]).place(7), 0);
    // A point in time has no length that others could be measured by.
    assert.deepEqual(axisOf([row(1, 0), row(2, 1_000)]).pauses, []);
  });

  it('ignores open streams', () => {
    const stream = row(1, 0, 3_600_000, { method: 'subscriptions/listen' });
    const axis = axisOf([stream, row(2, 10, 100)]);
    assert.ok(axis.place(110) - axis.place(10) > 0.5 * AXIS);
    assert.equal(numbers(drawingOf(stream, familiesOf([stream]).of(stream), axis).bar)[2], AXIS);
  });
});

describe('a waterfall row', () => {
  const call = row(1, 0, 1_000);
  const asks = row(2, 100, 400, { direction: 'received', method: 'elicitation/create', parent: 1 });
  const also = row(3, 300, 300, { direction: 'received', method: 'roots/list', parent: 1 });
  const rows = [call, asks, also, told(4, 700, 1), told(5, 700.1, 1), told(6, 900, 1)];
  const families = familiesOf(rows);
  const axis = axisOf(rows);
  const texts = {
    partOf: 'part of {0}',
    waited: 'waited {0} for {1}',
    waits: 'waits for {0}',
    requestCount: '{0} requests',
    notificationCount: '{0} notifications',
    oneNotification: '1 notification',
  } as ViewTexts;

  it('is a bar from start to end, with its waits, and a tick for each notification', () => {
    const { bar, waits, ticks } = drawingOf(call, families.of(call), axis);
    assert.deepEqual(
      numbers(bar).filter((_, index) => index % 2 === 0),
      [0, axis.place(1_000), 0].map(place => Math.round(place * 10) / 10),
    );
    // From the first question to the last answer, once.
    assert.equal(waits.split('M').length - 1, 1);
    assert.deepEqual(waitsOf(call, [asks, also]), [{ from: 100, to: 600 }]);
    assert.equal(ticks.split('M').length - 1, 2, 'two at nearly the same time are one');
    const notification = rows[3]!;
    const alone = drawingOf(notification, families.of(notification), axis);
    assert.equal(alone.bar, '');
    assert.equal(alone.ticks.split('M').length - 1, 1);
  });

  it('extends to the edge while unanswered', () => {
    const open = row(1, 0);
    const asked = row(2, 10, undefined, { method: 'elicitation/create', parent: 1 });
    const own = familiesOf([open, asked]);
    const { bar, waits } = drawingOf(open, own.of(open), axisOf([open, asked]));
    assert.ok(numbers(bar).includes(AXIS) && numbers(waits).includes(AXIS));
    assert.equal(spokenTiming(texts, open, own.of(open)), 'waits for elicitation/create');
  });

  it('describes duration, waiting and nesting in text', () => {
    const said = (one: ViewRow) => spokenTiming(texts, one, families.of(one));
    assert.equal(said(call), '1.00 s, waited 500 ms for 2 requests, 3 notifications');
    assert.equal(said(asks), '400 ms, part of tools/call');
  });

  it('knows its depth even where rows are missing, and forgets removed ones', () => {
    const inner = row(7, 110, 10, { parent: 2 });
    const map = new Map([...rows, inner].map(one => [one.seq, one]));
    const own = new Families(map);
    for (const one of map.values()) own.add(one);
    assert.equal(own.of(inner).depth, 2);
    assert.equal(own.of(inner).parent, asks);
    map.delete(2);
    own.remove(asks);
    assert.deepEqual(own.of(inner), { parent: undefined, depth: 0, requests: [], notifications: [] });
    assert.deepEqual(own.of(call).requests, [also]);
    // A file can say what it likes.
    const circle = row(8, 0, 1, { parent: 8 });
    map.set(8, circle);
    assert.ok(own.of(circle).depth <= 4);
  });
});
