import assert from 'node:assert/strict';
import { DEFAULT_RESTART, RestartPolicy } from '../../../../src/host/connection/restarts';

describe('RestartPolicy', () => {
  it('waits twice as long each time, from 1 s to 60 s, and counts as down after five failures in five minutes', () => {
    const policy = new RestartPolicy(DEFAULT_RESTART, () => 0);
    const verdicts = [0, 1, 2, 3, 4, 5].map(now => policy.next(now, false));
    assert.deepEqual(
      verdicts.map(({ waitMs }) => waitMs),
      [1_000, 2_000, 4_000, 8_000, 16_000, 32_000],
    );
    assert.deepEqual(
      verdicts.map(({ isDown }) => isDown),
      [false, false, false, false, false, true],
    );
    const patient = new RestartPolicy({ ...DEFAULT_RESTART, failures: 20 }, () => 0);
    assert.equal(Array.from({ length: 12 }, (_, now) => patient.next(now, false).waitMs).at(-1), 60_000);
  });

  it('forgets old failures, and all of them when a person starts the server', () => {
    const policy = new RestartPolicy(DEFAULT_RESTART, () => 0);
    for (let i = 0; i < 5; i++) policy.next(i, false);
    assert.equal(policy.next(5 * 60_000 + 10, false).waitMs, 1_000);
    policy.reset();
    assert.equal(policy.next(5 * 60_000 + 20, false).waitMs, 1_000);
  });

  it('counts all failures of a remote server until it is ready', () => {
    const policy = new RestartPolicy(DEFAULT_RESTART, () => 0);
    for (let i = 0; i < 5; i++) policy.next(i, true);
    assert.deepEqual(policy.next(10 * 60_000, true), { waitMs: 32_000, isDown: true });
    policy.up();
    assert.deepEqual(policy.next(20 * 60_000, true), { waitMs: 1_000, isDown: false });
  });

  it('randomizes waits by at most a quarter', () => {
    const policy = new RestartPolicy(DEFAULT_RESTART, () => 0.999);
    assert.equal(policy.next(0, false).waitMs, 750);
  });
});
