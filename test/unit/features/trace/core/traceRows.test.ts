import assert from 'node:assert/strict';
import { TraceRows } from '../../../../../src/features/trace/core/traceRows';
import type { TraceRecord } from '../../../../../src/host/trace/traceLog';
import { received, sent } from '../../../host/trace/records';

describe('TraceRows', () => {
  const rowsOf = (...records: TraceRecord[]) => {
    const rows = new TraceRows();
    rows.update(records);
    return rows;
  };
  const only = (rows: TraceRows, seq: number) => {
    const { kind, method, subject, status, ms, pair, note } = rows.get(seq)!;
    return { kind, method, subject, status, ms, pair, note };
  };

  it('joins a request with its answer: method, duration and status', () => {
    const rows = rowsOf(
      sent(1, { id: 1, method: 'tools/call', params: { name: 'add' } }, { at: 100 }),
      received(2, { id: 1, result: { content: [] } }, { at: 112.5 }),
    );
    const both = { method: 'tools/call', subject: 'add', status: 'ok', ms: 12.5, note: undefined };
    assert.deepEqual(only(rows, 1), { kind: 'request', pair: 2, ...both });
    assert.deepEqual(only(rows, 2), { kind: 'answer', pair: 1, ...both });
  });

  it('distinguishes ids by server, direction and type', () => {
    const rows = rowsOf(
      sent(1, { id: 1, method: 'ping' }),
      sent(2, { id: '1', method: 'tools/list' }),
      received(3, { id: 1, method: 'roots/list' }),
      sent(4, { id: 1, method: 'prompts/list' }, { server: 'other' }),
      received(5, { id: '1', result: {} }),
      sent(6, { id: 1, result: { roots: [] } }),
      received(7, { id: 1, result: {} }, { server: 'other' }),
    );
    const pairs = [...rows.all()].map(({ record, pair }) => [record.seq, pair]);
    assert.deepEqual(pairs, [
      [1, undefined],
      [2, 5],
      [3, 6],
      [4, 7],
      [5, 2],
      [6, 3],
      [7, 4],
    ]);
    assert.equal(rows.get(1)?.status, 'pending');
  });

  it('shows errors of the protocol and of tools', () => {
    const rows = rowsOf(
      sent(1, { id: 1, method: 'nope' }),
      received(2, { id: 1, error: { code: -32601, message: 'Method not found' } }),
      sent(3, { id: 2, method: 'tools/call', params: { name: 'add' } }),
      received(4, { id: 2, result: { isError: true, content: [{ type: 'text', text: 'bad' }] } }),
    );
    assert.equal(rows.get(1)?.status, 'error');
    assert.equal(rows.get(1)?.note, '-32601 Method not found');
    assert.equal(rows.get(2)?.kind, 'error');
    assert.equal(rows.get(3)?.status, 'error');
    assert.equal(rows.get(3)?.note, 'bad');
  });

  const ASKED: [method: string, error: object, status: string][] = [
    ['server/discover', { code: -32601, message: 'Method not found' }, 'unsupported'],
    ['server/discover', { code: -32603, message: 'not initialized' }, 'unsupported'],
    ['server/discover', { code: -32022, message: 'Unsupported', data: { supported: ['1'] } }, 'error'],
    ['prompts/list', { code: -32601, message: 'Method not found' }, 'unsupported'],
    ['resources/templates/list', { code: -32601, message: 'Method not found' }, 'unsupported'],
    ['tools/list', { code: -32603, message: 'no database' }, 'error'],
    ['tools/call', { code: -32601, message: 'Method not found' }, 'error'],
  ];
  for (const [method, error, status] of ASKED)
    it(`shows ${JSON.stringify(error)} in answer to ${method} as ${status}`, () => {
      const rows = rowsOf(sent(1, { id: 1, method }), received(2, { id: 1, error }));
      assert.deepEqual([rows.get(1)?.status, rows.get(2)?.status], [status, status]);
    });

  it('shows a refused request of a server, and a refused check, as errors', () => {
    const error = { code: -32601, message: 'Method not found' };
    const rows = rowsOf(
      received(1, { id: 1, method: 'tools/list' }),
      sent(2, { id: 1, error }),
      sent(3, { id: 1, method: 'tools/call' }),
      sent(4, { id: 2, method: 'server/discover' }),
      received(5, { id: 2, error }),
    );
    assert.deepEqual([rows.get(1)?.status, rows.get(4)?.status], ['error', 'error']);
  });

  it('shows the question what a server is as not supported, once it is initialized without an answer', () => {
    const rows = rowsOf(
      sent(1, { id: 'probe-1', method: 'server/discover' }),
      sent(2, { id: 0, method: 'initialize' }, { server: 'other' }),
    );
    assert.equal(rows.get(1)?.status, 'pending');
    rows.update([...rows.all()].map(({ record }) => record).concat(sent(3, { id: 0, method: 'initialize' })));
    assert.equal(rows.get(1)?.status, 'unsupported');
  });

  it('shows a request whose server has ended as ended with it, in either direction', () => {
    const records = [
      sent(1, { id: 1, method: 'tools/call' }),
      received(2, { id: 1, method: 'roots/list' }),
      sent(3, { id: 2, method: 'tools/call' }),
      received(4, { id: 2, result: {} }),
      sent(5, { id: 1, method: 'tools/call' }, { server: 'other' }),
      sent(6, { id: 0, method: 'initialize' }),
    ];
    const rows = rowsOf(...records);
    const changed = rows.update(records, undefined, new Map([[records[0]!.server, 5]])).rows;
    assert.deepEqual(
      changed.map(({ record }) => record.seq),
      [1, 2],
    );
    assert.deepEqual(
      [1, 2, 3, 5, 6].map(seq => rows.get(seq)?.status),
      ['ended', 'ended', 'ok', 'pending', 'pending'],
    );
  });

  it('shows a cancelled request, even if it is answered', () => {
    const rows = rowsOf(
      sent(1, { id: 7, method: 'tools/call', params: { name: 'slow' } }),
      sent(2, { method: 'notifications/cancelled', params: { requestId: 7 } }),
    );
    assert.equal(rows.get(1)?.status, 'cancelled');
    assert.equal(rows.get(2)?.subject, 'tools/call slow');
    const records = [...rows.all()].map(({ record }) => record);
    rows.update([...records, received(3, { id: 7, result: {} })]);
    assert.equal(rows.get(1)?.status, 'cancelled');
    assert.equal(rows.get(1)?.pair, 3);
  });

  it('recognizes pings, and their modern equivalent, by how a server was connected', () => {
    const discover = (seq: number, id: unknown) => sent(seq, { id, method: 'server/discover' });
    const rows = rowsOf(
      discover(1, 'probe-1'),
      sent(2, { id: 0, method: 'tools/list' }),
      discover(3, 1),
      received(4, { id: 1, result: {} }),
      sent(5, { id: 7, method: 'tools/list' }, { server: 'other' }),
      // Another session: its ids begin anew.
      discover(6, 0),
      discover(7, 1),
      received(8, { id: 9, method: 'ping' }),
      sent(9, { id: 2, method: 'ping' }),
    );
    const checks = [...rows.all()].filter(({ isCheck }) => isCheck).map(({ record }) => record.seq);
    assert.deepEqual(checks, [3, 4, 7, 8, 9]);
  });

  it('gives up the answer to a request whose id is reused', () => {
    const rows = rowsOf(sent(1, { id: 0, method: 'initialize' }), sent(2, { id: 0, method: 'initialize' }));
    assert.equal(rows.get(1)?.status, 'cancelled');
    assert.equal(rows.get(2)?.status, 'pending');
  });

  it('returns new and changed rows in parts, and drops removed ones', () => {
    const rows = new TraceRows();
    const all = [
      sent(1, { id: 1, method: 'ping' }),
      sent(2, { id: 2, method: 'ping' }),
      received(3, { id: 1, result: {} }),
    ];
    assert.deepEqual(seqs(rows.update(all.slice(0, 2), 1)), [1]);
    assert.deepEqual(seqs(rows.update(all.slice(0, 2))), [2]);
    assert.deepEqual(seqs(rows.update(all)), [1, 3]);
    const { first } = rows.update(all.slice(1));
    assert.equal(first, 2);
    assert.equal(rows.get(1), undefined);
    assert.equal(rows.get(3)?.pair, undefined);
    rows.update([]);
    assert.equal([...rows.all()].length, 0);
  });

  it('handles thousands of messages', () => {
    const records = Array.from({ length: 20_000 }, (_, n) =>
      n % 2 === 0 ? sent(n + 1, { id: n, method: 'ping' }) : received(n + 1, { id: n - 1, result: {} }),
    );
    const rows = rowsOf(...records);
    assert.ok([...rows.all()].every(({ status }) => status === 'ok'));
    rows.update(records.slice(10_000));
    assert.equal([...rows.all()].length, 10_000);
  });

  const seqs = ({ rows }: { rows: readonly { record: TraceRecord }[] }) => rows.map(({ record }) => record.seq);
});
