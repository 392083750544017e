import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { onPersonsTime } from '../../../../src/host/elicitation/personsTime';

describe('the time of a person', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] }));
  afterEach(() => mock.timers.reset());

  /** A request in flight, as the SDK keeps its limit of 100 ms, and questions that come meanwhile. */
  function inFlight() {
    const timeouts: number[] = [];
    const onTimeout = () => void timeouts.push(Date.now());
    const limit = { timeoutId: setTimeout(onTimeout, 100), timeout: 100, startTime: Date.now(), onTimeout };
    const client = { _timeoutInfo: new Map([[1, limit]]) } as unknown as Client;
    const ask = (signal = new AbortController().signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const asked = onPersonsTime(client, signal, () => promise);
      return () => {
        resolve();
        return asked;
      };
    };
    return { limit, timeouts, ask };
  }

  it('is not taken from a limit, and taken out of it once however many questions there are', async () => {
    const { limit, timeouts, ask } = inFlight();
    const first = ask();
    mock.timers.tick(150);
    const second = ask();
    mock.timers.tick(150);
    await first();
    assert.equal(limit.startTime, 0);
    mock.timers.tick(150);
    assert.deepEqual(timeouts, []);
    await second();
    assert.equal(limit.startTime, 450);
    mock.timers.tick(99);
    assert.deepEqual(timeouts, []);
    mock.timers.tick(1);
    assert.deepEqual(timeouts, [550]);
  });

  it('ends when the question is withdrawn, also before it was asked', async () => {
    for (const isEarly of [false, true]) {
      const { timeouts, ask } = inFlight();
      const abort = new AbortController();
      if (isEarly) abort.abort();
      const answer = ask(abort.signal);
      abort.abort();
      await answer();
      mock.timers.tick(1_000);
      assert.equal(timeouts.length, 1);
    }
  });
});
