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

  it('run out for each request on its own, unless that ends before', async () => {
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

  it('are moved by progress only when that is wanted, and never beyond the limit of the whole', async () => {
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

  it('stand still while a person is asked, however many questions there are, and begin anew when the last is answered', async () => {
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

  it('are not set going by progress while a person is asked', async () => {
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

  it('go on when the question is withdrawn, also before it was asked', async () => {
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

  it('do not run out while the answer lies in the pipe, however long this process was busy', async () => {
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

  it('keep nothing when the connection is gone, and begin anew with the next request', async () => {
    const { deadlines, start, ends } = inFlight();
    deadlines.end(start('gone'));
    deadlines.close();
    await pass(1_000);
    start('next');
    await pass(100);
    assert.deepEqual(ends, [['next', 1_100]]);
  });

  it('stand still for a server that is debugged, also for requests that begin later', async () => {
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
