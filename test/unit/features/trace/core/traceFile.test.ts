import assert from 'node:assert/strict';
import { readTraceFile, traceLines } from '../../../../../src/features/trace/core/traceFile';
import { received, sent } from '../../../host/trace/records';

const header = '{"format":"mcp-host-trace","version":1}';

const line = (more: object) => JSON.stringify({ at: 1, server: 'a', direction: 'sent', message: { id: 1 }, ...more });

describe('the trace file', () => {
  it('round-trips a trace', () => {
    const records = [
      sent(1, { id: 1, method: 'ping', params: { s: '"message":\n' } }),
      received(2, { id: 1, result: {} }),
    ];
    const text = [...traceLines(records, ({ text }) => text)].join('');
    assert.equal(text.trimEnd().split('\n').length, 3);
    const { marks, ...read } = readTraceFile(text);
    assert.deepEqual(read, { records, callers: new Map(), skipped: 0 });
    assert.deepEqual(marks.among([]), []);
  });

  it('has each message on one line, without redacted text', () => {
    const pretty = JSON.stringify({ method: 'x', params: { token: 'geheim', size: 1 } }, null, 2);
    const record = { ...sent(1, {}), text: pretty, size: pretty.length };
    const lines = [...traceLines([record], ({ text }) => text.replace('geheim', '•••'))];
    assert.equal(lines.length, 2);
    assert.equal(JSON.parse(lines[1]!).message.params.token, '•••');
    // What is no JSON any more is a text.
    const broken = [...traceLines([record], ({ text }) => text.replace(': 1', ': •••'))];
    assert.match(JSON.parse(broken[1]!).text, /•••/);
  });

  it('keeps the size of a truncated message', () => {
    const cut = { ...sent(1, {}), text: '{"id":1,"res', size: 5_000_000 };
    const { records } = readTraceFile([...traceLines([cut], ({ text }) => text)].join(''));
    assert.deepEqual(records, [cut]);
  });

  it('keeps the callers, as far as readable', () => {
    const records = [sent(1, { id: 1, method: 'tools/call' }), sent(2, { id: 2, method: 'tools/call' })];
    const caller = { origin: 'agent', name: 'Claude Code' };
    const written = traceLines(
      records,
      ({ text }) => text,
      ({ seq }) => (seq === 2 ? { caller } : {}),
    );
    assert.deepEqual(readTraceFile([...written].join('')).callers, new Map([[2, caller]]));
    const odd = [1, null, [], {}, { origin: 1 }, { origin: 'chat', name: 5 }, { origin: 'app', name: 'x'.repeat(999) }];
    const { callers } = readTraceFile([header, ...odd.map(one => line({ caller: one }))].join('\n'));
    assert.deepEqual([...callers.values()], [{ origin: 'chat' }, { origin: 'app', name: 'x'.repeat(200) }]);
  });

  it('skips and counts bad lines', () => {
    const bad = [
      'nope',
      '{',
      '[]',
      'null',
      line({ at: 'x' }),
      line({ direction: 'up' }),
      line({ server: 1 }),
      line({ message: undefined }),
    ];
    const { records, skipped } = readTraceFile([header, ...bad, line({}), ''].join('\r\n'));
    assert.equal(skipped, bad.length);
    assert.deepEqual(
      records.map(({ seq, text }) => [seq, text]),
      [[1, '{"id":1}']],
    );
  });

  it('is distinguished from other files', () => {
    assert.throws(() => readTraceFile('{"some":"json"}'), /not a trace/);
    assert.throws(() => readTraceFile(''), /not a trace/);
    const { records, skipped } = readTraceFile(header);
    assert.deepEqual({ records, skipped }, { records: [], skipped: 0 });
  });
});
