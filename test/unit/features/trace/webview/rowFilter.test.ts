import assert from 'node:assert/strict';
import type { ViewRow } from '../../../../../src/features/trace/traceMessages';
import { filtered, NO_FILTER } from '../../../../../src/features/trace/webview/rowFilter';

const row = (seq: number, more: Partial<ViewRow> = {}): ViewRow => ({
  seq,
  at: seq,
  server: 'one',
  direction: 'sent',
  kind: 'request',
  size: 1,
  ...more,
});

describe('filtered', () => {
  const rows = [
    row(1, { method: 'tools/call', subject: 'Add', status: 'ok', pair: 2 }),
    row(2, { kind: 'answer', method: 'tools/call', status: 'ok', pair: 1 }),
    row(3, { server: 'two', method: 'tools/call', status: 'error', pair: 4, note: '-32602 Bad' }),
    row(4, { server: 'two', kind: 'error', method: 'tools/call', status: 'error', pair: 3 }),
    row(5, { kind: 'answer', status: 'ok' }),
    row(6, { kind: 'notification', method: 'notifications/message' }),
  ];
  const shown = (filter: Partial<typeof NO_FILTER>, ...matches: number[]) =>
    filtered(rows, { ...NO_FILTER, ...filter }, new Set(matches)).map(({ seq }) => seq);

  it('shows one row for a request and its answer, or one for each message', () => {
    assert.deepEqual(shown({}), [1, 3, 5, 6]);
    assert.deepEqual(shown({ joined: false }), [1, 2, 3, 4, 5, 6]);
  });

  it('filters by server, method, tool and failure', () => {
    assert.deepEqual(shown({ server: 'two' }), [3]);
    assert.deepEqual(shown({ method: 'tools/call' }), [1, 3]);
    assert.deepEqual(shown({ errors: true, joined: false }), [3, 4]);
    const calls = [
      row(1, { method: 'tools/call', subject: 'add' }),
      row(2, { kind: 'answer', method: 'tools/call', subject: 'add' }),
      row(3, { method: 'tools/call', subject: 'remove' }),
      row(4, { method: 'prompts/get', subject: 'add' }),
    ];
    const ofTool = filtered(calls, { ...NO_FILTER, tool: 'add' }, new Set());
    assert.deepEqual(
      ofTool.map(({ seq }) => seq),
      [1, 2],
    );
    assert.deepEqual(shown({ errors: true, server: 'one' }), []);
  });

  it('does not count as a failure what a server does not support', () => {
    const asked = [
      row(1, { method: 'server/discover', status: 'unsupported', pair: 2 }),
      row(2, { kind: 'error', method: 'server/discover', status: 'unsupported', pair: 1 }),
    ];
    assert.deepEqual(filtered(asked, { ...NO_FILTER, errors: true, joined: false }, new Set()), []);
    assert.equal(filtered(asked, NO_FILTER, new Set()).length, 1);
  });

  it('filters by caller and by note', () => {
    const calls = [
      row(1, { method: 'tools/call', caller: 'You' }),
      row(2, { method: 'tools/call', caller: 'Claude Code (agent)' }),
      row(3, { method: 'tools/list' }),
    ];
    const seqs = (filter: Partial<typeof NO_FILTER>) =>
      filtered(calls, { ...NO_FILTER, ...filter }, new Set()).map(({ seq }) => seq);
    assert.deepEqual(seqs({ caller: 'You' }), [1]);
    assert.deepEqual(seqs({ text: 'claude' }), [2]);
    const noted = filtered([row(1, { remark: 'Why so slow?' }), row(2)], { ...NO_FILTER, text: 'slow' }, new Set());
    assert.deepEqual(
      noted.map(({ seq }) => seq),
      [1],
    );
  });

  it('keeps pinned rows under every filter', () => {
    const pinned = [row(1, { method: 'a', isPinned: true }), row(2, { method: 'a' }), row(3, { method: 'b' })];
    const kept = filtered(pinned, { ...NO_FILTER, method: 'b' }, new Set());
    assert.deepEqual(
      kept.map(({ seq }) => seq),
      [1, 3],
    );
  });

  it('hides pings, unless they failed or the person asks for them', () => {
    const pings = [
      row(1, { method: 'ping', isCheck: true, status: 'ok', pair: 2 }),
      row(2, { kind: 'answer', method: 'ping', isCheck: true, status: 'ok', pair: 1 }),
      row(3, { method: 'ping', isCheck: true, status: 'pending' }),
      row(4, { method: 'ping', isCheck: true, status: 'cancelled' }),
      row(5, { method: 'ping', isCheck: true, status: 'error', pair: 6 }),
      row(6, { kind: 'error', method: 'ping', isCheck: true, status: 'error', pair: 5 }),
      row(7, { method: 'tools/list', status: 'ok' }),
    ];
    const seqs = (filter: Partial<typeof NO_FILTER>) =>
      filtered(pings, { ...NO_FILTER, ...filter }, new Set()).map(({ seq }) => seq);
    assert.deepEqual(seqs({}), [4, 5, 7]);
    assert.deepEqual(seqs({ joined: false }), [4, 5, 6, 7]);
    assert.deepEqual(seqs({ pings: true }), [1, 3, 4, 5, 7]);
    assert.deepEqual(seqs({ method: 'ping' }), [1, 3, 4, 5]);
    assert.deepEqual(seqs({ errors: true }), [5]);
    // Servers of the modern era are asked again what they are instead.
    const met = row(8, { method: 'server/discover', status: 'ok' });
    const checks = [met, row(9, { method: 'server/discover', isCheck: true, status: 'ok' })];
    const shownChecks = (filter: Partial<typeof NO_FILTER>) =>
      filtered(checks, { ...NO_FILTER, ...filter }, new Set()).map(({ seq }) => seq);
    assert.deepEqual(shownChecks({}), [8]);
    assert.deepEqual(shownChecks({ pings: true }), [8, 9]);
    assert.deepEqual(shownChecks({ method: 'server/discover' }), [8, 9]);
  });

  it('finds text in visible cells, in the body, and in the body of the answer', () => {
    assert.deepEqual(shown({ text: 'add' }), [1]);
    assert.deepEqual(shown({ text: 'bad' }), [3]);
    assert.deepEqual(shown({ text: 'x' }, 2, 6), [1, 6]);
    assert.deepEqual(shown({ text: 'x', joined: false }, 2, 6), [2, 6]);
  });
});
