import assert from 'node:assert/strict';
import { DEFAULT_RESTART, RestartPolicy } from '../../../../src/host/connection/restartPolicy';

describe('RestartPolicy', () => {
  it('waits twice as long each time, from 1 s to 60 s, and gives up after five failures in five minutes', () => {
    const policy = new RestartPolicy(DEFAULT_RESTART, () => 0);
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map(now => policy.next(now)),
      [1_000, 2_000, 4_000, 8_000, 16_000, undefined],
    );
    const patient = new RestartPolicy({ ...DEFAULT_RESTART, failures: 20 }, () => 0);
    assert.equal(Array.from({ length: 12 }, (_, now) => patient.next(now)).at(-1), 60_000);
  });

  it('forgets old failures, and all of them when a person starts the server', () => {
    const policy = new RestartPolicy(DEFAULT_RESTART, () => 0);
    for (let i = 0; i < 5; i++) policy.next(i);
    assert.equal(policy.next(5 * 60_000 + 10), 1_000);
    policy.reset();
    assert.equal(policy.next(5 * 60_000 + 20), 1_000);
  });

  it('randomizes waits by at most a quarter', () => {
    const policy = new RestartPolicy(DEFAULT_RESTART, () => 0.999);
    assert.equal(policy.next(0), 750);
  });
});
