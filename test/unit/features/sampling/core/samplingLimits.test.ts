import assert from 'node:assert/strict';
import { PerMinute } from '../../../../../src/base/rateAllowance';
import {
  depthOf,
  SamplingChoices,
  SamplingError,
  SamplingLimits,
  SamplingLog,
  SamplingQueue,
  SamplingUsage,
} from '../../../../../src/features/sampling/core/samplingLimits';
import type { SamplingChoice } from '../../../../../src/features/sampling/core/samplingPolicy';
import type { KeptScope } from '../../../../../src/host/definition';

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
  const limits = new SamplingLimits(usage, values, new PerMinute(() => clock.now));
  return { clock, usage, limits, store };
}

describe('limits of sampling', () => {
  it('refuse the fourth request of a minute, name the waiting time, and do not affect other servers @samplingLimits.refuse-fourth-request', () => {
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

  it('include what other windows used, and overwrite nothing of theirs @samplingLimits.include-windows-used', async () => {
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

  it('refuse sampling nested three deep @samplingLimits.refuse-sampling-nested', () => {
    const { limits } = limited();
    const depth = depthOf([{ started: 30 }], [{ started: 10 }, { started: 20 }, { started: 40 }]);
    assert.equal(depth, 3);
    assert.throws(() => limits.enter('a', depth), /sampling within sampling, 3 deep; 2 are allowed/);
    limits.enter('a', depthOf([], [{ started: 1 }]));
    limits.enter('a', depthOf([{ started: 5 }], []));
  });
});

const never = new AbortController().signal;

it('refusals that nobody is asked about are recorded once a minute, and all that a person said', () => {
  const recorded: unknown[] = [];
  const { usage } = limited();
  const log = new SamplingLog(usage, { record: event => recorded.push(event) });
  for (let n = 0; n < 1_000; n++) {
    log.recordRefusal('a', SamplingError.deniedAlways('The organization allows no sampling'));
    log.recordRefusal('a', SamplingError.limited('too many'));
  }
  log.recordRefusal('b', SamplingError.deniedAlways('The organization allows no sampling'));
  for (let n = 0; n < 2; n++) log.recordRefusal('a', SamplingError.denied());
  assert.deepEqual(
    recorded.map(event => Object.values(event as object).join()),
    ['sampling,a,denied', 'sampling,a,limited', 'sampling,b,denied', 'sampling,a,denied', 'sampling,a,denied'],
  );
});

describe('the queue of sampling reviews', () => {
  it('has one at a time, reports how many wait, and refuses those beyond its limit', async () => {
    const queue = new SamplingQueue(2);
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
    assert.deepEqual([started, queue.waiting], [[0, 1, 2], 0]);
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

describe('the sampling policy of a server', () => {
  const kept = () => {
    const stored: Record<KeptScope, Record<string, SamplingChoice>> = { user: {}, workspace: {} };
    return {
      stored,
      get: (scope: KeptScope) => stored[scope],
      set: async (scope: KeptScope, choices: Record<string, SamplingChoice>) => {
        stored[scope] = choices;
      },
    };
  };
  const server = (scope: 'user' | 'workspace', id = 'a', launch = 'x') => ({ id, source: { scope }, launch });

  it('is denial while the organization forbids sampling, whatever was chosen', async () => {
    const store = kept();
    await new SamplingChoices(store, () => 'allow').set(server('user'), { policy: 'allow' });
    const policies = [false, true].map(isForbidden => {
      const choices = new SamplingChoices(
        store,
        () => 'allow',
        () => isForbidden,
      );
      return choices.policy(server('user'));
    });
    assert.deepEqual(policies, ['allow', 'deny']);
  });

  it('is to ask, unless the setting or the person decides otherwise @samplingLimits.ask-unless-setting', async () => {
    const store = kept();
    const choices = new SamplingChoices(store, () => 'nonsense');
    assert.equal(choices.policy(server('user')), 'ask');
    assert.equal(new SamplingChoices(store, () => 'deny').policy(server('user')), 'deny');
    await choices.set(server('user'), { policy: 'allow' });
    await choices.set(server('user'), { model: 'm' });
    assert.deepEqual([choices.policy(server('user')), choices.model(server('user'))], ['allow', 'm']);
    await choices.set(server('user'), { model: undefined, policy: undefined });
    assert.deepEqual(store.stored.user, {});
  });

  it('allows only the program that was allowed, and denies every program of a denied name @samplingLimits.allows-program-allowed', async () => {
    const store = kept();
    const choices = new SamplingChoices(store, () => 'ask');
    const [before, now] = [server('user'), server('user', 'a', 'y')];
    await choices.set(before, { policy: 'allow', model: 'm' });
    assert.deepEqual([choices.policy(before), choices.policy(now)], ['allow', 'ask']);
    assert.equal(choices.model(now), 'm');
    await choices.copy(now, server('user', 'b', 'y'));
    assert.equal(choices.policy(server('user', 'b', 'y')), 'ask', 'under another name, too');
    await choices.copy(before, server('user', 'c'));
    assert.equal(choices.policy(server('user', 'c')), 'allow');
    store.stored.user = { a: { policy: 'allow' }, d: { policy: 'deny' } };
    assert.equal(choices.policy(before), 'ask', 'what an earlier version kept was of no program');
    assert.equal(choices.policy(server('user', 'd')), 'deny', 'a denial is of any');
    await choices.set(before, { policy: 'deny' });
    assert.equal(choices.policy(now), 'deny');
  });

  it('of a workspace server applies to that workspace only, and prototype names have none', async () => {
    const choices = new SamplingChoices(kept(), () => 'ask');
    await choices.set(server('user'), { policy: 'allow' });
    assert.equal(choices.policy(server('workspace')), 'ask');
    assert.equal(choices.policy(server('user', 'constructor')), 'ask');
  });
});
