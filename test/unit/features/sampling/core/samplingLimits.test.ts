import assert from 'node:assert/strict';
import { depthOf, SamplingLimits } from '../../../../../src/features/sampling/core/samplingLimits';
import { SamplingUsage } from '../../../../../src/features/sampling/core/samplingUsage';

const MINUTE = 60_000;

function limited({ perMinute = 3, perHour = 1_000, perDay = 2_000 } = {}) {
  const clock = { now: 1_000 * MINUTE };
  let stored: unknown;
  const set = async (usage: unknown) => {
    stored = structuredClone(usage);
  };
  const store = { get: () => stored, set };
  const usage = new SamplingUsage(store, () => clock.now);
  const values = () => ({ requestsPerMinute: perMinute, tokensPerHour: perHour, tokensPerDay: perDay });
  const limits = new SamplingLimits(usage, values, () => clock.now);
  return { clock, usage, limits, store };
}

describe('limits of sampling', () => {
  it('refuse the fourth request of a minute, name the waiting time, and do not affect other servers', () => {
    const { clock, limits } = limited();
    for (let i = 0; i < 3; i++) limits.enter('a', 1);
    clock.now += 20_000;
    assert.throws(() => limits.enter('a', 1), {
      name: 'SamplingError',
      code: -32000,
      message: 'Sampling request refused: more than 3 requests in a minute. Try again in 40 seconds',
    });
    limits.enter('b', 1);
    clock.now += 40_000;
    limits.enter('a', 1);
  });

  it('refuse 990 of a thousand simultaneous requests quickly', () => {
    const { limits } = limited({ perMinute: 10 });
    const results = Array.from({ length: 1_000 }, () => {
      try {
        limits.enter('a', 1);
        return true;
      } catch {
        return false;
      }
    });
    assert.equal(results.filter(Boolean).length, 10);
  });

  it('count tokens by the hour and by the day, across reloads of the window', async () => {
    const { clock, usage, limits, store } = limited();
    await usage.record('a', { answer: 'send', model: 'm', tokens: 1_000 });
    assert.throws(() => limits.enter('a', 1), /1000 tokens were used in the last hour; 1000 are allowed/);
    clock.now += 62 * MINUTE;
    limits.enter('a', 1);
    await usage.record('a', { answer: 'send', model: 'm', tokens: 999 });
    assert.equal(new SamplingUsage(store, () => clock.now).tokens('a', 'day'), 1_999);
    limits.checkTokens('a');
    await usage.record('a', { answer: 'send', model: 'm', tokens: 1 });
    assert.throws(() => limits.checkTokens('a'), /in the last hour/);
    clock.now += 62 * MINUTE;
    assert.throws(() => limits.checkTokens('a'), /2000 tokens were used in the last day/);
    clock.now += 24 * 60 * MINUTE;
    limits.checkTokens('a');
    await usage.record('a', { answer: 'denied' });
    assert.deepEqual(
      usage.last('a').map(({ answer }) => answer),
      ['denied', 'send', 'send', 'send'],
    );
    const { a } = store.get() as Record<string, { tokens: object }>;
    assert.deepEqual(a!.tokens, {}, 'what is older than a day is forgotten');
  });

  it('include what other windows used, and overwrite nothing of theirs', async () => {
    const { clock, usage, limits, store } = limited();
    const other = new SamplingUsage(store, () => clock.now);
    await usage.record('a', { answer: 'send', model: 'm', tokens: 400 });
    await other.record('a', { answer: 'send', model: 'm', tokens: 500 });
    await other.record('b', { answer: 'send', model: 'm', tokens: 7 });
    clock.now += 1;
    await usage.record('a', { answer: 'denied' });
    for (const window of [usage, other, new SamplingUsage(store, () => clock.now)]) {
      assert.equal(window.tokens('a', 'hour'), 900);
      assert.equal(window.tokens('b', 'hour'), 7);
      assert.equal(window.last('a').length, 3);
    }
    await other.record('a', { answer: 'send', model: 'm', tokens: 100 });
    assert.throws(() => limits.checkTokens('a'), /in the last hour/);
  });

  it('refuse sampling nested three deep', () => {
    const { limits } = limited();
    const depth = depthOf([{ started: 30 }], [{ started: 10 }, { started: 20 }, { started: 40 }]);
    assert.equal(depth, 3);
    assert.throws(() => limits.enter('a', depth), /sampling within sampling, 3 deep; 2 are allowed/);
    limits.enter('a', depthOf([], [{ started: 1 }]));
    limits.enter('a', depthOf([{ started: 5 }], []));
  });
});
