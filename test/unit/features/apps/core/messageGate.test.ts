import assert from 'node:assert/strict';
import { MessageGate } from '../../../../../src/features/apps/core/messageGate';

describe('the messages of an app', () => {
  it('pass at the rate of a working app', () => {
    const gate = new MessageGate();
    for (let n = 0; n < 1_000; n++) assert.equal(gate.take(100, 0), undefined);
    for (let n = 0; n < 2_000; n++) assert.equal(gate.take(100, 10 + n * 10), undefined, `message ${n}`);
  });

  it('stop the app when they flood, or when one is too large', () => {
    const gate = new MessageGate();
    const taken = Array.from({ length: 10_000 }, (_, n) => gate.take(100, n / 10)).filter(excess => !excess);
    assert.ok(taken.length >= 1_000 && taken.length <= 1_200, `${taken.length} of 10,000 in a second`);
    assert.equal(new MessageGate().take(9 * 1024 * 1024, 0), 'large');
  });

  it('pass again after a pause, but no more than at first', () => {
    const gate = new MessageGate();
    for (let n = 0; n < 1_000; n++) gate.take(1, 0);
    assert.equal(gate.take(1, 0), 'flood');
    for (let n = 0; n < 1_000; n++) assert.equal(gate.take(1, 3_600_000), undefined);
    assert.equal(gate.take(1, 3_600_000), 'flood');
  });
});
