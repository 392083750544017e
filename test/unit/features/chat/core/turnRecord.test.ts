import assert from 'node:assert/strict';
import { boundRecord, recordOf } from '../../../../../src/features/chat/core/turnRecord';
import { record } from './recordedTurn';

describe('the record of a turn', () => {
  it('survives storage unchanged', () => {
    assert.deepEqual(recordOf(JSON.parse(JSON.stringify({ record: boundRecord(record) }))), record);
  });

  it('is bounded: texts are shortened, the oldest rounds go first', () => {
    const huge = 'x'.repeat(1 << 20);
    const round = (i: number) => ({
      text: `${i}`,
      calls: [{ id: 'c', name: 'n', input: { huge } }],
      results: [{ id: 'c', text: huge }],
    });
    const bounded = boundRecord({
      request: Array.from({ length: 100 }, () => ({ role: 'user', text: huge })),
      rounds: Array.from({ length: 50 }, (_, i) => round(i)),
    });
    assert.ok(JSON.stringify(bounded.rounds).length < 220_000);
    assert.equal(bounded.rounds.at(-1)?.text, '49');
    assert.ok(bounded.rounds.length > 5 && bounded.rounds.length < 15);
    assert.deepEqual(bounded.rounds[0]?.calls[0]?.input, { leftOut: `${huge.length + 11} characters` });
    assert.ok(JSON.stringify(bounded.request).length < 110_000, `${JSON.stringify(bounded.request).length}`);
  });

  it('keeps arguments that are not JSON', () => {
    const input: { self?: object; n?: bigint } = {};
    input.self = input;
    const calls = [{ id: 'c', name: 'n', input }];
    const bounded = boundRecord({ rounds: [{ text: '', calls, results: [] }] });
    assert.deepEqual(bounded.rounds[0]?.calls[0]?.input, { leftOut: 'arguments that are not JSON' });
  });
});
