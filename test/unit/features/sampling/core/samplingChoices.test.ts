import assert from 'node:assert/strict';
import { SamplingChoices } from '../../../../../src/features/sampling/core/samplingChoices';
import type { SamplingChoice, SamplingScope } from '../../../../../src/features/sampling/core/samplingPolicy';

describe('the sampling policy of a server', () => {
  const kept = () => {
    const stored: Record<SamplingScope, Record<string, SamplingChoice>> = { user: {}, workspace: {} };
    return {
      stored,
      get: (scope: SamplingScope) => stored[scope],
      set: async (scope: SamplingScope, choices: Record<string, SamplingChoice>) => {
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

  it('is to ask, unless the setting or the person decides otherwise', async () => {
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

  it('allows only the program that was allowed, and denies every program of a denied name', async () => {
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
    store.stored.user = { a: { policy: 'allow' } };
    assert.equal(choices.policy(before), 'ask', 'what an earlier version kept was of no program');
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
