import assert from 'node:assert/strict';
import { SamplingQueue } from '../../../../../src/features/sampling/core/samplingQueue';

const never = new AbortController().signal;

describe('the queue of sampling reviews', () => {
  it('has one at a time, reports how many wait, and refuses those beyond its limit', async () => {
    const queue = new SamplingQueue(2);
    const seen: number[] = [];
    queue.onDidChange(() => seen.push(queue.waiting));
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const started: number[] = [];
    const runs = gates.map(({ promise }, index) =>
      queue.run(async () => {
        started.push(index);
        await promise;
      }, never),
    );
    await assert.rejects(
      queue.run(async () => {}, never),
      { code: -32000, message: /2 other requests are waiting for a review/ },
    );
    assert.deepEqual([started, queue.waiting], [[0], 2]);
    for (const gate of gates) gate.resolve();
    await Promise.all(runs);
    assert.deepEqual(
      [started, seen],
      [
        [0, 1, 2],
        [1, 2, 1, 0],
      ],
    );
    await queue.run(async () => {}, never);
  });

  it('drops a cancelled waiting request, and continues after a failure', async () => {
    const queue = new SamplingQueue(5);
    const first = Promise.withResolvers<void>();
    const failing = queue.run(() => first.promise, never);
    const abort = new AbortController();
    const cancelled = queue.run(async () => assert.fail('it was cancelled'), abort.signal);
    const last = queue.run(async () => 'done', never);
    abort.abort();
    await assert.rejects(cancelled, /cancelled/);
    first.reject(new Error('broken'));
    await assert.rejects(failing, /broken/);
    assert.equal(await last, 'done');
  });
});
