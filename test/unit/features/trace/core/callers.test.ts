import assert from 'node:assert/strict';
import { fingerprint } from '../../../../../src/base/fingerprint';
import { Callers } from '../../../../../src/features/trace/core/traceSource';
import type { TracedCall } from '../../../../../src/host/trace/traceLog';
import { received, sent } from '../../../host/trace/records';

describe('Callers', () => {
  const made = (origin: string, after: number, until: number, args: object = {}, more: Partial<TracedCall> = {}) => ({
    origin,
    server: 'one',
    tool: 'add',
    args: fingerprint(args),
    after,
    until,
    ...more,
  });
  const call = (seq: number, args?: object, name = 'add') =>
    sent(seq, { id: seq, method: 'tools/call', params: { name, arguments: args } });

  it('finds the caller by server, tool and arguments, among the messages of the call', () => {
    const calls = [
      made('chat', 0, 4, { a: 1 }),
      made('agent', 0, 4, { a: 2 }, { name: 'Codex' }),
      made('app', 0, 4, {}, { tool: 'other', name: 'Board' }),
      made('palette', 0, 4, { a: 1 }, { server: 'two' }),
      made('gateway', 4, 9, { a: 1 }),
    ];
    const callers = new Callers(() => calls);
    assert.deepEqual(callers.of(call(1, { a: 2 })), { origin: 'agent', name: 'Codex' });
    assert.deepEqual(callers.of(call(2, undefined, 'other')), { origin: 'app', name: 'Board' });
    assert.deepEqual(callers.of(call(3, { a: 1 })), { origin: 'chat' });
    assert.deepEqual(callers.of(call(5, { a: 1 })), { origin: 'gateway' });
    assert.equal(callers.of(call(10, { a: 1 })), undefined);
    assert.equal(callers.of(call(4, { a: 3 })), undefined);
    assert.equal(callers.of(received(2, { id: 1, method: 'tools/call', params: { name: 'add' } })), undefined);
    assert.equal(callers.of(sent(2, { id: 1, method: 'tools/list' })), undefined);
  });

  it('assigns equal calls in order; a repeated call keeps its caller', () => {
    const calls = [made('chat', 0, 9), made('agent', 0, 9)];
    const callers = new Callers(() => calls);
    assert.deepEqual(callers.of(call(1)), { origin: 'chat' });
    assert.deepEqual(callers.of(call(2)), { origin: 'agent' });
    assert.deepEqual(callers.of(call(1)), { origin: 'chat' }, 'asked again');
    const alone = new Callers(() => [calls[0]!]);
    assert.deepEqual([alone.of(call(1)), alone.of(call(5))], [{ origin: 'chat' }, { origin: 'chat' }]);
  });

  it('finds one among thousands of calls', () => {
    const calls = Array.from({ length: 10_000 }, (_, n) => made(n % 2 ? 'chat' : 'palette', n, n + 1, { n }));
    const callers = new Callers(() => calls);
    const found = Array.from({ length: 10_000 }, (_, n) => callers.of(call(n + 1, { n }))?.origin);
    assert.ok(found.every((origin, n) => origin === (n % 2 ? 'chat' : 'palette')));
  });

  it('handles very long arguments, and finds none for other messages', () => {
    const callers = new Callers(() => [made('chat', 0, 9)]);
    assert.deepEqual(callers.of(call(1, { text: 'x'.repeat(300_000) })), { origin: 'chat' });
    for (const text of ['"tools/call"', '{"method":"tools/call","params":1}', '{"method":"tools/call"'])
      assert.equal(callers.of({ ...call(2), text }), undefined, text);
  });
});
