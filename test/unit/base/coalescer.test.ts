import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Coalescer } from '../../../src/base/queue';

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
