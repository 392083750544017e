import assert from 'node:assert/strict';
import {
  fromAppPage,
  Gestures,
  lengthOfMessage,
  MAX_LENGTH,
  MessageGate,
} from '../../../../../src/features/apps/core/appMessages';

describe('messages from the page around an app', () => {
  it('are accepted in their known shapes only', () => {
    const surroundings = { theme: 'dark', variables: {}, width: 1, height: 2, touch: false, hover: true };
    for (const message of [
      { type: 'ready', surroundings },
      { type: 'surroundings', surroundings },
      { type: 'message', text: '{}', gesture: 3 },
      { type: 'gone', why: 'focus' },
      { type: 'focus', isTaken: true },
      { type: 'act', name: 'clear' },
    ])
      assert.deepEqual(fromAppPage(message), message);
    for (const other of [
      undefined,
      null,
      'ready',
      [],
      {},
      { type: 'ready' },
      { type: 'ready', surroundings: { ...surroundings, theme: 'pink' } },
      { type: 'ready', surroundings: { ...surroundings, variables: 'all' } },
      { type: 'message', text: {}, gesture: 0 },
      { type: 'message', text: '{}' },
      { type: 'message', text: '{}', gesture: -1 },
      { type: 'gone', why: 'bored' },
      { type: 'act', name: 7 },
    ])
      assert.equal(fromAppPage(other), undefined, JSON.stringify(other));
  });
});

describe('the messages of an app', () => {
  it('pass at the rate of a working app', () => {
    const gate = new MessageGate();
    for (let n = 0; n < 1_000; n++) assert.equal(gate.take(100, 0), undefined);
    for (let n = 0; n < 2_000; n++) assert.equal(gate.take(100, 10 + n * 10), undefined, `message ${n}`);
  });

  it('are as long as they would be written, whatever they refer to again and again', () => {
    let shared: unknown = 0;
    for (let level = 0; level < 60; level++) shared = [shared, shared];
    const sparse: unknown[] = [];
    sparse.length = 4e9;
    for (const data of [shared, { shared }, sparse, { sparse }])
      assert.equal(new MessageGate().take(lengthOfMessage(data, MAX_LENGTH) ?? 0, 0), 'large');
    for (const data of [new Uint8Array(9e6), Object('text'), { a: [new Date()] }, new Map(), 1n])
      assert.equal(lengthOfMessage(data, MAX_LENGTH), undefined);
    const length = lengthOfMessage(
      { method: 'ping', params: { data: 'x'.repeat(1e6), list: [1, null, true] } },
      MAX_LENGTH,
    );
    assert.ok(length && length > 1e6 && length < 1.001e6, String(length));
  });

  it('stop the app when they flood, or when one is too large', () => {
    const gate = new MessageGate();
    const taken = Array.from({ length: 10_000 }, (_, n) => gate.take(100, n / 10)).filter(excess => !excess);
    assert.ok(taken.length >= 1_000 && taken.length <= 1_200, `${taken.length} of 10,000 in a second`);
    assert.equal(new MessageGate().take(9 * 1024 * 1024, 0), 'large');
    const large = new MessageGate();
    const passed = Array.from({ length: 1_000 }, () => large.take(8_000_000, 0)).filter(excess => !excess);
    assert.ok(passed.length >= 5 && passed.length <= 20, `${passed.length} messages of 8 MB at once`);
  });

  it('pass again after a pause, but no more than at first', () => {
    const gate = new MessageGate();
    for (let n = 0; n < 1_000; n++) gate.take(1, 0);
    assert.equal(gate.take(1, 0), 'flood');
    for (let n = 0; n < 1_000; n++) assert.equal(gate.take(1, 3_600_000), undefined);
    assert.equal(gate.take(1, 3_600_000), 'flood');
  });
});

describe('gestures of the person in an app', () => {
  let isActive: boolean;
  let isInApp: boolean;
  let gestures: Gestures;
  beforeEach(() => {
    [isActive, isInApp] = [false, true];
    gestures = new Gestures(
      () => isActive,
      () => isInApp,
    );
  });

  it('have a number while fresh, and none otherwise @appMessages.number-fresh-none', () => {
    assert.equal(gestures.latest, 0);
    isActive = true;
    assert.deepEqual([gestures.latest, gestures.latest], [1, 1]);
    isActive = false;
    assert.equal(gestures.latest, 0);
  });

  it('get a new number each, even without a message in between @appMessages.get-new-number', () => {
    isActive = true;
    assert.equal(gestures.latest, 1);
    isActive = false;
    gestures.look();
    isActive = true;
    assert.equal(gestures.latest, 2);
  });

  it('count where they begin: in the app, and then until they are over', () => {
    [isActive, isInApp] = [true, false];
    assert.equal(gestures.latest, 0);
    isInApp = true;
    gestures.look();
    isInApp = false;
    assert.equal(gestures.latest, 1);
  });
});
