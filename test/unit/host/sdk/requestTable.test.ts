import assert from 'node:assert/strict';
import { RequestTable } from '../../../../src/host/sdk/observedTransport';

describe('RequestTable', () => {
  it('never reuses an id, and finds each entry by its own, for any number and lifetime', () => {
    const things = new RequestTable<string>(1);
    const longLived = things.add('long-lived');
    const numbers = new Set([longLived]);
    let live: number[] = [];
    for (let round = 0; round < 2_000; round++) {
      const number = things.add(`thing ${round}`);
      assert.ok(!numbers.has(number));
      numbers.add(number);
      live.push(number);
      if (live.length < (round < 1_000 ? 100 : 400)) continue;
      assert.equal(things.entries().length, live.length + 1);
      for (const old of live) assert.match(things.take(old) ?? '', /^thing/);
      for (const old of live) assert.equal(things.take(old), undefined);
      live = [];
    }
    assert.equal(things.get(longLived), 'long-lived');
  });
});
