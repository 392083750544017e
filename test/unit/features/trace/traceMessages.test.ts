import assert from 'node:assert/strict';
import { fromTracePage } from '../../../../src/features/trace/traceMessages';

describe('messages of the trace page', () => {
  it('are accepted in their known shapes, without other members', () => {
    const good = [
      { type: 'ready' },
      { type: 'pause', isPaused: true },
      { type: 'search', search: 1, text: 'a' },
      { type: 'details', seq: 3 },
      { type: 'pin', seq: 3 },
      { type: 'remark', seq: 3 },
      { type: 'act', seq: 3, action: 'curl' },
    ];
    for (const message of good) assert.deepEqual(fromTracePage({ ...message, more: 1 }), message);
  });

  it('are refused otherwise', () => {
    const bad = [
      undefined,
      null,
      'ready',
      {},
      { type: 'other' },
      { type: 'pause', isPaused: 1 },
      { type: 'open', seq: '1' },
      { type: 'open', seq: 1.5 },
      { type: 'act', seq: 1, action: 'constructor' },
      { type: 'search', search: 1, text: 2 },
    ];
    for (const message of bad) assert.equal(fromTracePage(message), undefined, JSON.stringify(message));
    const long = fromTracePage({ type: 'search', search: 1, text: 'x'.repeat(5_000) });
    assert.ok(long?.type === 'search' && long.text.length === 1_000);
  });
});
