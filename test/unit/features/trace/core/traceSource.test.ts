import assert from 'node:assert/strict';
import { fingerprint } from '../../../../../src/base/fingerprint';
import { readTraceFile, traceLines } from '../../../../../src/features/trace/core/traceFile';
import { TraceRows } from '../../../../../src/features/trace/core/traceRows';
import { Callers, MAX_MARKS, MAX_REMARK, TraceMarks } from '../../../../../src/features/trace/core/traceSource';
import { type TracedCall, TraceLog } from '../../../../../src/host/trace/traceLog';
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

describe('marked trace rows', () => {
  const seqs = (records: readonly { readonly seq: number }[]) => records.map(({ seq }) => seq);

  it('keep their counterparts when the trace drops them, until nothing is marked', () => {
    const marks = new TraceMarks();
    const [call, answer] = [sent(3, { id: 1, method: 'ping' }), received(4, { id: 1, result: {} })];
    marks.change([call], { remark: 'look here' });
    marks.keep([answer]);
    marks.change([call, answer], { isPinned: true });
    assert.deepEqual(marks.of(3), { isPinned: true, remark: 'look here' });
    assert.deepEqual(seqs(marks.among([sent(4, {}), sent(5, {})])), [3, 4, 5]);
    assert.deepEqual(seqs(marks.among([sent(9, {}), sent(10, {})])), [3, 4, 9, 10]);
    assert.deepEqual(seqs(marks.among([])), [3, 4]);
    marks.change([call, answer], { isPinned: false });
    assert.deepEqual(marks.of(3), { remark: 'look here' });
    marks.change([call, answer], { remark: '' });
    assert.equal(marks.of(3), undefined);
    assert.deepEqual(seqs(marks.among([sent(9, {})])), [9]);
  });

  it('announce changes, and are bounded in number and length', () => {
    const marks = new TraceMarks();
    const told: number[] = [];
    marks.onDidChange(seq => void told.push(seq));
    for (let seq = 1; seq <= MAX_MARKS + 1; seq++) marks.change([sent(seq, {})], { remark: 'x'.repeat(999) });
    assert.equal(told.length, MAX_MARKS + 1);
    assert.equal(marks.of(1)?.remark?.length, MAX_REMARK);
    assert.equal(marks.of(MAX_MARKS + 1), undefined);
    marks.change([sent(1, {})], { remark: 'another' });
    assert.equal(marks.of(1)?.remark, 'another');
  });

  it('remain when all others are dropped: when the trace is full, and when it is cleared', () => {
    const log = new TraceLog();
    log.limit({ messages: 4, size: 1e6 });
    const marks = new TraceMarks();
    const rows = new TraceRows();
    const update = () => rows.update(marks.among(log.records()));
    const shown = () => [...rows.all()].map(({ record }) => record.seq);
    const write = (id: number) => log.write('one', 'sent', JSON.stringify({ id, method: 'tools/list' }));
    for (let id = 1; id <= 4; id++) write(id);
    update();
    marks.change([rows.get(2)!.record], { remark: 'why so slow?' });
    for (let id = 5; id <= 9; id++) write(id);
    const { first, kept } = update();
    assert.deepEqual([first, kept], [6, [2]]);
    assert.deepEqual(shown(), [2, 6, 7, 8, 9]);
    log.clear();
    assert.deepEqual(update().kept, [2]);
    assert.deepEqual(shown(), [2]);
    write(10);
    write(11);
    assert.deepEqual([update().first, shown()], [10, [2, 10, 11]]);
    assert.equal(rows.get(2)?.status, 'pending');
    // The answer comes late.
    log.write('one', 'received', '{"id":2,"result":{}}');
    update();
    assert.equal(rows.get(2)?.pair, 12);
    log.write('one', 'sent', '{"method":"x"}');
    update();
    assert.deepEqual(shown(), [2, 10, 11, 12, 13]);
    marks.change([rows.get(2)!.record], { remark: '' });
    update();
    assert.deepEqual(shown(), [10, 11, 12, 13]);
  });

  it('are exported and read back', () => {
    const records = [sent(1, { method: 'a' }), sent(2, { method: 'b' })];
    const marks = new TraceMarks();
    marks.change([records[1]!], { isPinned: true, remark: 'here' });
    const lines = [
      ...traceLines(
        records,
        ({ text }) => text,
        ({ seq }) => ({ ...marks.of(seq) }),
      ),
    ];
    const read = readTraceFile(lines.join('')).marks;
    assert.equal(read.of(1), undefined);
    assert.deepEqual(read.of(2), { isPinned: true, remark: 'here' });
    const odd = { isPinned: 'yes', remark: ['x'] };
    const line = JSON.stringify({ at: 1, server: 'a', direction: 'sent', message: {}, ...odd });
    assert.equal(readTraceFile(line).marks.of(1), undefined);
  });
});
