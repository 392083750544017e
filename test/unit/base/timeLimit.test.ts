import assert from 'node:assert/strict';
import { limited } from '../../../src/base/queue';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('a time limit', () => {
  it('aborts what takes longer', async () => {
    await assert.rejects(limited(20, [], untilAborted), { name: 'TimeoutError' });
  });

  it('does not abort what finishes in time', async () => {
    const one = new AbortController();
    assert.equal(await limited(60_000, [one.signal], async () => 'done'), 'done');
  });

  it('rejects with the reason of an aborted signal, even if already aborted', async () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const run = limited(60_000, [one.signal, other.signal], untilAborted);
    other.abort(new Error('stop'));
    await assert.rejects(run, /stop/);
    await assert.rejects(limited(60_000, [one.signal, other.signal], untilAborted), /stop/);
  });
});
