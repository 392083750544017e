import assert from 'node:assert/strict';
import { TraceRows } from '../../../../../src/features/trace/core/traceRows';
import type { TraceRecord } from '../../../../../src/host/trace/traceLog';
import { received, sent } from '../../../host/trace/records';

describe('the parent of a trace message', () => {
  const parents = (...records: TraceRecord[]) => {
    const rows = new TraceRows();
    rows.update(records);
    return Object.fromEntries([...rows.all()].flatMap(({ record, parent }) => (parent ? [[record.seq, parent]] : [])));
  };
  const call = (id: number, name = 'a', more: object = {}) => ({ id, method: 'tools/call', params: { name, ...more } });

  it('is the newest unanswered request of its server, for requests and logs of the server', () => {
    const found = parents(
      sent(1, call(1)),
      sent(2, call(2, 'b')),
      sent(3, call(3, 'c'), { server: 'other' }),
      received(4, { id: 1, method: 'sampling/createMessage' }),
      received(5, { id: 2, result: {} }),
      received(6, { id: 2, method: 'elicitation/create' }),
      received(7, { id: 3, method: 'roots/list' }, { server: 'other' }),
      received(8, { method: 'notifications/message', params: { level: 'info' } }),
      received(9, { method: 'notifications/tools/list_changed' }),
      received(10, { id: 4, method: 'ping' }),
      received(11, { id: 1, result: {} }),
      received(12, { id: 5, method: 'roots/list' }),
    );
    assert.deepEqual(found, { 4: 2, 6: 1, 7: 3, 8: 1 });
  });

  it('is the request with its token, for progress', () => {
    const found = parents(
      sent(1, call(1, 'a', { _meta: { progressToken: 'x' } })),
      sent(2, call(2, 'a', { _meta: { progressToken: 2 } })),
      received(3, { method: 'notifications/progress', params: { progressToken: 'x', progress: 1 } }),
      received(4, { method: 'notifications/progress', params: { progressToken: 2, progress: 1 } }),
      received(5, { method: 'notifications/progress', params: { progressToken: '2', progress: 1 } }),
    );
    assert.deepEqual(found, { 3: 1, 4: 2 });
  });

  it('is the first request, for one repeated with the requested input', () => {
    const wanted = (id: number) => ({ id, result: { resultType: 'input_required' } });
    const found = parents(
      sent(1, call(1)),
      received(2, wanted(1)),
      sent(3, call(2, 'b', { inputResponses: {} })),
      sent(4, call(3, 'a', { inputResponses: {}, requestState: 's' })),
      received(5, wanted(3)),
      sent(6, call(4, 'a', { requestState: 't' })),
      received(7, { id: 4, result: {} }),
      sent(8, call(5, 'a', { requestState: 'u' })),
    );
    assert.deepEqual(found, { 4: 1, 6: 1 });
  });

  it('is never one that opens a session or a stream, nor a cancelled one', () => {
    const found = parents(
      sent(1, { id: 0, method: 'initialize' }),
      received(2, { id: 1, method: 'roots/list' }),
      sent(3, { id: 1, method: 'subscriptions/listen' }),
      sent(4, call(2)),
      sent(5, { method: 'notifications/cancelled', params: { requestId: 2 } }),
      received(6, { id: 2, method: 'roots/list' }),
    );
    assert.deepEqual(found, {});
  });

  it('is found among thousands of unanswered requests', () => {
    const asked = Array.from({ length: 5_000 }, (_, n) => sent(n + 1, call(n)));
    const found = parents(...asked, received(5_001, { id: 'x', method: 'roots/list' }));
    assert.deepEqual(found, { 5001: 5_000 });
  });
});
