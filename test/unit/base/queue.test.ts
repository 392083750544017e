import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Coalescer, limited, Queue, Queues } from '../../../src/base/queue';

describe('Queue', () => {
  it('runs as many tasks as allowed, the others in order', async () => {
    const queue = new Queue({ limit: 2 });
    const order: number[] = [];
    assert.ok(queue.tryEnter() && queue.tryEnter() && !queue.tryEnter());
    const waits = [1, 2, 3].map(async n => {
      assert.equal(await queue.wait(), undefined);
      order.push(n);
    });
    queue.leave();
    await waits[0];
    assert.deepEqual(order, [1]);
    assert.equal(queue.tryEnter(), false, 'nobody overtakes those who wait');
    queue.leave();
    queue.leave();
    await Promise.all(waits);
    assert.deepEqual(order, [1, 2, 3]);
  });

  it('drops a waiting task that is aborted or whose time is up', async () => {
    const queue = new Queue();
    queue.tryEnter();
    const abort = new AbortController();
    const [aborted, late, patient] = [queue.wait(abort.signal, 10_000), queue.wait(undefined, 20), queue.wait()];
    abort.abort();
    assert.equal(await aborted, 'aborted');
    assert.equal(await late, 'timeout');
    queue.leave();
    assert.equal(await patient, undefined);
    assert.equal(queue.tryEnter(), false);
    assert.equal(await queue.wait(AbortSignal.abort(), 10_000), 'aborted');
  });

  it('is bounded', async () => {
    const queue = new Queue({ limit: 1, maxWaiting: 2 });
    queue.tryEnter();
    const waits = [queue.wait(undefined, 10_000), queue.wait(undefined, 10_000)];
    assert.equal(await queue.wait(undefined, 10_000), 'full');
    queue.limit = 3;
    assert.deepEqual(await Promise.all(waits), [undefined, undefined]);
  });

  it('runs tasks one after the other, each after the previous one ended, even if it failed', async () => {
    const queue = new Queue();
    const events: string[] = [];
    const task = (name: string, fails = false) =>
      queue.run(async () => {
        events.push(`${name} begins`);
        await turn();
        events.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const all = Promise.allSettled([task('a'), task('b', true), task('c')]);
    assert.deepEqual([events, queue.waiting, queue.length], [[], 2, 3]);
    const results = (await all).map(result => (result.status === 'fulfilled' ? result.value : String(result.reason)));
    assert.deepEqual(results, ['a', 'Error: b', 'c']);
    assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    assert.equal(queue.length, 0);
  });

  it('continues after a task that throws synchronously', async () => {
    const queue = new Queue();
    const broken = queue.run(() => {
      throw new Error('broken');
    });
    const next = queue.run(async () => 'next');
    await assert.rejects(broken, /broken/);
    assert.equal(await next, 'next');
  });

  it('never begins a task whose signal is already aborted, whether it had to wait or not', async () => {
    const queue = new Queue();
    const [first, second] = [new AbortController(), new AbortController()];
    const never = async () => assert.fail('it was given up');
    const given = [queue.run(never, first.signal), queue.run(never, second.signal), queue.run(never, second.signal)];
    const last = queue.run(async () => 'last');
    second.abort(new Error('second'));
    assert.equal(queue.waiting, 1, 'they no longer wait');
    first.abort(new Error('first'));
    await assert.rejects(given[0]!, /first/);
    for (const promise of given.slice(1)) await assert.rejects(promise, /second/);
    assert.equal(await last, 'last');
    await assert.rejects(queue.run(never, AbortSignal.abort(new Error('third'))), /third/);
    assert.equal(queue.length, 0);
  });

  it('lets a running task finish when its signal is aborted, and starts none beside it', async () => {
    const queue = new Queue();
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<string>();
    const running = queue.run(() => promise, abort.signal);
    await turn();
    const events: string[] = [];
    const next = queue.run(async () => void events.push('next'));
    abort.abort();
    await turn();
    assert.deepEqual(events, []);
    resolve('done');
    assert.equal(await running, 'done');
    await next;
    assert.deepEqual(events, ['next']);
  });

  it('words its refusals as configured', async () => {
    const queue = new Queue({ maxWaiting: 0, refused: refusal => new Error(`refused: ${refusal}`) });
    queue.tryEnter();
    await assert.rejects(
      queue.run(async () => {}),
      /refused: full/,
    );
    await assert.rejects(
      queue.run(async () => {}, AbortSignal.abort()),
      /refused: aborted/,
    );
  });

  it('counts the tasks that wait: no longer those that were aborted or have run', async () => {
    const queue = new Queue();
    const abort = new AbortController();
    const runs = [queue.run(async () => {}), queue.run(async () => {}), queue.run(async () => {}, abort.signal)];
    assert.equal(queue.waiting, 2);
    abort.abort();
    assert.equal(queue.waiting, 1);
    await Promise.allSettled(runs);
    assert.equal(queue.waiting, 0);
  });

  it('refuses all tasks after disposal: waiting ones, later ones, and after a new limit', async () => {
    const queue = new Queue();
    const { promise, resolve } = Promise.withResolvers<string>();
    const running = queue.run(() => promise);
    const refused = assert.rejects(
      queue.run(async () => assert.fail('it is disposed')),
      /disposed/,
    );
    const waits = [queue.wait(), queue.wait(undefined, 10_000)];
    await turn();
    queue.dispose();
    await refused;
    assert.deepEqual(await Promise.all(waits), ['disposed', 'disposed']);
    queue.limit = 5;
    assert.equal(queue.tryEnter(), false);
    assert.equal(await queue.wait(), 'disposed');
    resolve('who was in it ends as ever');
    assert.equal(await running, 'who was in it ends as ever');
    assert.equal(queue.tryEnter(), false);
  });
});

describe('Queues', () => {
  it('block only tasks of the same key, and are forgotten when empty', async () => {
    const queues = new Queues();
    const events: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const task = (key: string, name: string) =>
      queues.run(key, async () => {
        events.push(name);
        await promise;
      });
    const all = [task('a', 'a1'), task('a', 'a2'), task('b', 'b1')];
    await turn();
    assert.deepEqual(events, ['a1', 'b1']);
    assert.deepEqual([queues.length('a'), queues.length('b'), queues.length('c')], [2, 1, 0]);
    resolve();
    await Promise.all(all);
    assert.deepEqual(events, ['a1', 'b1', 'a2']);
    assert.deepEqual([queues.length('a'), queues.length('b')], [0, 0]);
  });
});

describe('Coalescer', () => {
  const { now } = performance;
  let time: number;
  beforeEach(() => {
    time = 0;
    mock.timers.enable({ apis: ['setTimeout'] });
    performance.now = () => time;
  });
  afterEach(() => {
    mock.timers.reset();
    performance.now = now;
  });
  const pass = (ms: number) => {
    time += ms;
    mock.timers.tick(ms);
  };

  /** Triggers every `everyMs` for `forMs`. @returns when the action ran, until all is quiet. */
  function runs(everyMs: number, forMs: number, options: { quietMs: number; maxMs: number }): number[] {
    const at: number[] = [];
    const coalescer = new Coalescer(() => at.push(time), options);
    for (; time < forMs; pass(everyMs)) coalescer.trigger();
    for (let i = 0; i < 1_000; i++) pass(1);
    return at;
  }

  it('runs once for a burst', () => {
    assert.deepEqual(runs(1, 30, { quietMs: 60, maxMs: 10_000 }), [89]);
  });

  it('is not starved by a steady stream of triggers', () => {
    assert.deepEqual(runs(2, 400, { quietMs: 100, maxMs: 150 }), [150, 300, 450]);
  });

  it('does not run once cancelled', () => {
    let ran = false;
    const coalescer = new Coalescer(() => (ran = true), { quietMs: 1, maxMs: 5 });
    coalescer.trigger();
    coalescer.cancel();
    pass(100);
    assert.equal(ran, false);
  });
});

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
