import assert from 'node:assert/strict';
import {
  boundRecord,
  LoopGuard,
  noCost,
  recordOf,
  TokenBudget,
  totalTokens,
} from '../../../../../src/features/chat/core/turnRecord';
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

describe('the cost of a turn', () => {
  it('counts what was sent: definitions, conversation and results, over all requests', () => {
    assert.equal(totalTokens(noCost()), 0);
    assert.equal(totalTokens({ ms: 0, calls: 3, requests: 2, definitions: 100, history: 20, results: 3 }), 123);
  });

  it('warns once beyond 80 % of the budget, and ends the turn beyond all of it', () => {
    const budget = new TokenBudget(1_000);
    const said = [500, 800, 801, 900, 1_000, 1_001].map(tokens => budget.at(tokens));
    assert.deepEqual(said, ['go on', 'go on', 'warn', 'go on', 'go on', 'stop']);
    assert.equal(new TokenBudget(1_000).at(5_000), 'stop');
  });
});

describe('a repeated call', () => {
  it('is made three times, then the model is warned, then the turn ends', () => {
    const loops = new LoopGuard();
    const call = () => loops.repeated('s__state', { id: 1 });
    assert.deepEqual([call(), call(), call()], [undefined, undefined, undefined]);
    const told = call();
    assert.match(told!.told, /^The tool was not called: you have made exactly this call 3 times/);
    assert.equal(told!.ends, false);
    assert.equal(call()!.ends, true);
  });

  it('counts separately for other arguments or another tool', () => {
    const loops = new LoopGuard();
    for (let id = 0; id < 50; id++) assert.equal(loops.repeated('s__state', { id }), undefined);
    for (let id = 0; id < 50; id++) assert.equal(loops.repeated('s__other', { id }), undefined);
  });
});
