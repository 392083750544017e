import assert from 'node:assert/strict';
import { Coalescer } from '../../../src/base/coalescer';

/** Triggers every `everyMs` for `forMs`, then resolves with how often the action ran until `untilMs` after the last. */
async function runs(everyMs: number, forMs: number, options: { quietMs: number; maxMs: number }): Promise<number> {
  let count = 0;
  const ran = Promise.withResolvers<void>();
  const coalescer = new Coalescer(() => {
    count++;
    if (ended) ran.resolve();
  }, options);
  let ended = false;
  await new Promise<void>(resolve => {
    const start = performance.now();
    const timer = setInterval(() => {
      if (performance.now() - start > forMs) {
        clearInterval(timer);
        ended = true;
        coalescer.trigger();
        resolve();
      } else coalescer.trigger();
    }, everyMs);
  });
  await ran.promise;
  return count;
}

describe('Coalescer', () => {
  it('runs once for a burst', async () => {
    assert.equal(await runs(1, 30, { quietMs: 60, maxMs: 10_000 }), 1);
  });

  it('is not starved by a steady stream of triggers', async () => {
    const count = await runs(2, 400, { quietMs: 100, maxMs: 150 });
    assert.ok(count >= 2 && count <= 6, `ran ${count} times`);
  });

  it('does not run once cancelled', async () => {
    let ran = false;
    const coalescer = new Coalescer(() => (ran = true), { quietMs: 1, maxMs: 5 });
    coalescer.trigger();
    coalescer.cancel();
    const later = Promise.withResolvers<void>();
    new Coalescer(() => later.resolve(), { quietMs: 20, maxMs: 20 }).trigger();
    await later.promise;
    assert.equal(ran, false);
  });
});
