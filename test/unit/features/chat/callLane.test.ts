import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CallLane, type CallOutcome, type PreparedCall } from '../../../../src/features/chat/callLane';

type LaneCall = Parameters<CallLane['add']>[0];
const call = (name: string) => ({ callId: name, name, input: {} }) as LaneCall;

/** A lane in which calls end when they are told to. Names that begin with `read` only read. */
function lane() {
  const log: string[] = [];
  const open = new Map<string, (outcome: CallOutcome) => void>();
  const made = new CallLane(async ({ name }): Promise<PreparedCall> => {
    log.push(`ask ${name}`);
    await nextTurn();
    const outcome = { id: name, name, parts: [] };
    if (name.startsWith('denied')) return { outcome };
    return { run: () => new Promise(resolve => open.set(name, resolve)), reads: name.startsWith('read') };
  }, undefined as never);
  const settled = async () => {
    for (let i = 0; i < 40; i++) await nextTurn();
  };
  return {
    log,
    add: (name: string) => made.add(call(name)).then(({ id }) => log.push(`ended ${id}`)),
    idle: () => made.idle(),
    running: () => [...open.keys()],
    end: async (name: string) => {
      open.get(name)!({ id: name, name, parts: [] });
      open.delete(name);
      await settled();
    },
    settled,
  };
}

describe('the lane of calls', () => {
  it('asks one after the other, runs read-only calls at once and others alone @callLane.asks-runs-read', async () => {
    const l = lane();
    const all = Promise.all(['read1', 'read2', 'write', 'read3', 'denied', 'read4'].map(l.add));
    await l.settled();
    assert.deepEqual(l.running(), ['read1', 'read2']);
    assert.equal(l.log.at(-1), 'ask write', 'what comes after a call that writes is not asked before');
    await l.end('read2');
    assert.deepEqual(l.running(), ['read1']);
    await l.end('read1');
    assert.deepEqual(l.running(), ['write']);
    await l.end('write');
    assert.deepEqual(l.running(), ['read3', 'read4']);
    await l.end('read4');
    await l.end('read3');
    await all;
    assert.deepEqual(
      l.log.filter(line => line.startsWith('ask')),
      ['read1', 'read2', 'write', 'read3', 'denied', 'read4'].map(name => `ask ${name}`),
    );
  });

  it('runs no more than eight at once', async () => {
    const l = lane();
    const names = Array.from({ length: 20 }, (_, i) => `read${i}`);
    const all = Promise.all(names.map(l.add));
    for (const name of names) {
      await l.settled();
      assert.ok(l.running().length <= 8, `${l.running().length}`);
      await l.end(name);
    }
    await all;
  });

  it('is idle when all calls have ended, and begins none after a failure', async () => {
    const l = lane();
    let isIdle = false;
    void l.add('read1');
    void l.idle().then(() => (isIdle = true));
    await l.settled();
    assert.ok(!isIdle);
    await l.end('read1');
    assert.ok(isIdle);
    const failing = new CallLane(() => Promise.reject(new Error('gone')), undefined as never);
    const added = ['a', 'b'].map(name => failing.add(call(name)));
    assert.deepEqual(
      (await Promise.allSettled(added)).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await failing.idle();
  });
});
