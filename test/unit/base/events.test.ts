import assert from 'node:assert/strict';
import { DisposableMap, DisposableStore, Emitter, until } from '../../../src/base/events';

describe('Emitter', () => {
  it('calls the other listeners when one throws', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<number>(error => errors.push(error));
    const heard: number[] = [];
    emitter.event(() => {
      throw new Error('broken listener');
    });
    emitter.event(value => heard.push(value));
    emitter.fire(7);
    assert.deepEqual(heard, [7]);
    assert.equal((errors[0] as Error).message, 'broken listener');
  });

  it('removes each subscription of one function separately', () => {
    const emitter = new Emitter<void>();
    let calls = 0;
    const listener = () => calls++;
    const first = emitter.event(listener);
    emitter.event(listener);
    first.dispose();
    emitter.fire();
    assert.equal(calls, 1);
  });
});

describe('DisposableMap', () => {
  it('disposes what is deleted from it, once, and the rest with itself', () => {
    const order: string[] = [];
    const map = new DisposableMap<string>();
    for (const name of ['a', 'b', 'c']) map.set(name, { dispose: () => order.push(`${name} ${map.has(name)}`) });
    assert.deepEqual([map.delete('b'), map.delete('b')], [true, false]);
    map.dispose();
    assert.deepEqual([order, map.size], [['b false', 'a false', 'c false'], 0]);
  });
});

describe('DisposableStore', () => {
  it('disposes the last added first, and late additions at once', () => {
    const order: string[] = [];
    const store = new DisposableStore();
    for (const name of ['a', 'b']) store.add({ dispose: () => order.push(name) });
    store.dispose();
    store.add({ dispose: () => order.push('late') });
    assert.deepEqual(order, ['b', 'a', 'late']);
  });
});

describe('until', () => {
  it('resolves once its condition holds, and listens no longer', async () => {
    const emitter = new Emitter<void>();
    let listeners = 0;
    const event = (listener: () => void) => {
      listeners++;
      const { dispose } = emitter.event(listener);
      return { dispose: () => [dispose(), listeners--] };
    };
    let isOver = false;
    const waiting = until(() => isOver, [event]);
    emitter.fire();
    assert.equal(listeners, 1);
    isOver = true;
    emitter.fire();
    await waiting;
    assert.equal(listeners, 0);
    await until(() => true, [event]);
    assert.equal(listeners, 0);
  });

  it('ends with its signal, and at its limit', async () => {
    const abort = new AbortController();
    const waiting = until(() => false, [], abort);
    abort.abort();
    await waiting;
    await until(() => false, [], abort);
    await until(() => false, [], { limitMs: 1 });
  });
});
