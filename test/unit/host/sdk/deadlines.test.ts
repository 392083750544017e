import assert from 'node:assert/strict';
import { type SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { Deadline, Deadlines, type Limits } from '../../../../src/host/sdk/deadlines';
import { withClock } from '../../clock';

describe('time limits', () => {
  const clock = withClock();
  let startedAt: number;
  const now = () => performance.now() - startedAt;
  const pass = (ms: number) => clock.pass(ms);
  beforeEach(() => {
    startedAt = performance.now();
  });

  /** Limits of requests in flight, and when each ran out. */
  function inFlight() {
    const deadlines = new Deadlines(now);
    const ends: [name: string, at: number][] = [];
    class Request extends Deadline {
      constructor(
        readonly name: string,
        limits: Limits,
      ) {
        super(limits);
        deadlines.start(this);
      }

      expired({ code, data }: SdkError): void {
        assert.equal(code, SdkErrorCode.RequestTimeout);
        assert.deepEqual(data, { timeout: this.limits.timeout });
        ends.push([this.name, now()]);
      }
    }
    const start = (name: string, limits: Limits = { timeout: 100 }) => new Request(name, limits);
    const ask = (signal = new AbortController().signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const asked = deadlines.whileAsking(signal, () => promise);
      return () => {
        resolve();
        return asked;
      };
    };
    return { deadlines, start, ask, ends };
  }

  it('expire for each request separately, unless it ends before', async () => {
    const { deadlines, start, ends } = inFlight();
    start('long', { timeout: 300 });
    const done = start('done');
    start('short', { timeout: 50 });
    start('middle', { timeout: 200 });
    deadlines.end(done);
    deadlines.end(done);
    await pass(1_000);
    assert.deepEqual(
      ends.map(([name]) => name),
      ['short', 'middle', 'long'],
    );
  });

  it('are extended by progress only on request, and never beyond the total limit @deadlines.extended-progress-request', async () => {
    const { deadlines, start, ends } = inFlight();
    const limits = { timeout: 100, maxTotalTimeout: 250 };
    const moved = start('moved', { ...limits, resetTimeoutOnProgress: true });
    const fixed = start('fixed', limits);
    for (let time = 0; time < 300; time += 50) {
      deadlines.progress(moved);
      deadlines.progress(fixed);
      await pass(50);
    }
    assert.deepEqual(ends, [
      ['fixed', 100],
      ['moved', 250],
    ]);
    deadlines.progress(moved);
    await pass(1_000);
    assert.equal(ends.length, 2);
  });

  it('pause while a person is asked, for any number of questions, and restart after the last answer', async () => {
    const { start, ask, ends } = inFlight();
    const held = start('held');
    const first = ask();
    await pass(150);
    const second = ask();
    start('begun later');
    await pass(150);
    await first();
    assert.equal(held.startedAt, 0);
    await pass(150);
    assert.deepEqual(ends, [['begun later', 250]]);
    await second();
    assert.equal(held.startedAt, 450);
    await pass(99);
    assert.equal(ends.length, 1);
    await pass(1);
    assert.deepEqual(ends[1], ['held', 550]);
  });

  it('are not started by progress while a person is asked', async () => {
    const { deadlines, start, ask, ends } = inFlight();
    const held = start('held', { timeout: 100, resetTimeoutOnProgress: true });
    const answer = ask();
    deadlines.progress(held);
    await pass(1_000);
    assert.deepEqual(ends, []);
    await answer();
    await pass(100);
    assert.deepEqual(ends, [['held', 1_100]]);
  });

  it('continue when the question is withdrawn, also before it was asked', async () => {
    for (const isEarly of [false, true]) {
      const { start, ask, ends } = inFlight();
      start('held');
      const abort = new AbortController();
      if (isEarly) abort.abort();
      const answer = ask(abort.signal);
      abort.abort();
      await pass(1_000);
      assert.equal(ends.length, 1);
      await answer();
    }
  });

  it('do not expire while the answer waits in the pipe, however busy this process is @deadlines.expire-answer-waits', async () => {
    clock.stop();
    const { port1, port2 } = new MessageChannel();
    const deadlines = new Deadlines();
    const outcome = Promise.withResolvers<string>();
    class Request extends Deadline {
      expired(): void {
        outcome.resolve('expired');
      }
    }
    const request = new Request({ timeout: 5 });
    port2.on('message', () => {
      deadlines.end(request);
      outcome.resolve('answered');
    });
    deadlines.start(request);
    try {
      port1.postMessage('an answer');
      for (const since = performance.now(); performance.now() - since < 20; );
      assert.equal(await outcome.promise, 'answered');
    } finally {
      port1.close();
    }
  });

  it('keep nothing when the connection is gone, and restart with the next request', async () => {
    const { deadlines, start, ends } = inFlight();
    deadlines.end(start('gone'));
    deadlines.close();
    await pass(1_000);
    start('next');
    await pass(100);
    assert.deepEqual(ends, [['next', 1_100]]);
  });

  it('pause for a debugged server, also for later requests', async () => {
    const { deadlines, start, ask, ends } = inFlight();
    start('before');
    await pass(50);
    deadlines.standStill();
    start('after', { timeout: 10, maxTotalTimeout: 20, resetTimeoutOnProgress: true });
    const asked = start('asked', { timeout: 10 });
    deadlines.progress(asked);
    void ask()();
    await pass(10_000);
    assert.deepEqual(ends, []);
  });
});
