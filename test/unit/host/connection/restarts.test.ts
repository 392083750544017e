import assert from 'node:assert/strict';
import { HostError } from '../../../../src/base/errors';
import { DEFAULT_RESTART, Restarts } from '../../../../src/host/connection/restarts';

const error = new HostError({ code: 'UNREACHABLE', server: 'one', action: 'go on', reason: 'x' });

/** The restarts of a server, and what follows its failure at a time: how long it waits; undefined if it is given up. */
function failing({ isRemote = false, failures = DEFAULT_RESTART.failures, random = 0 } = {}) {
  let now = 0;
  const server = { isRemote: () => isRemote, launch: () => {}, error: () => error };
  const clock = { now: () => now, random: () => random };
  const restarts = new Restarts(server, { ...DEFAULT_RESTART, failures }, clock);
  const waits = (at: number) => {
    now = at;
    const state = restarts.after(error);
    restarts.cancel();
    return state && { waitMs: state.at - at, isDown: state.isDown };
  };
  return { restarts, waits };
}

describe('waits before restarts', () => {
  it('are twice as long each time, from 1 s to 60 s, up to five failures in five minutes', () => {
    const { waits } = failing();
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map(at => waits(at)?.waitMs),
      [1_000, 2_000, 4_000, 8_000, 16_000, undefined],
    );
    const patient = failing({ failures: 20 });
    assert.equal(Array.from({ length: 12 }, (_, at) => patient.waits(at)?.waitMs).at(-1), 60_000);
  });

  it('do not grow with old failures, nor with any from before a person started the server', () => {
    const { restarts, waits } = failing();
    for (let at = 0; at < 5; at++) waits(at);
    assert.equal(waits(5 * 60_000 + 10)?.waitMs, 1_000);
    restarts.reset();
    assert.equal(waits(5 * 60_000 + 20)?.waitMs, 1_000);
  });

  it('grow with all failures of a remote server until it is ready', () => {
    const { restarts, waits } = failing({ isRemote: true });
    for (let at = 0; at < 5; at++) waits(at);
    assert.deepEqual(waits(10 * 60_000), { waitMs: 32_000, isDown: true });
    restarts.ready();
    assert.deepEqual(waits(20 * 60_000), { waitMs: 1_000, isDown: false });
  });

  it('are shorter by at most a quarter, at random', () => {
    assert.equal(failing({ random: 0.999 }).waits(0)?.waitMs, 750);
  });
});
