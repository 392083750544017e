import assert from 'node:assert/strict';
import { LoopGuard, noCost, TokenBudget, totalTokens } from '../../../../../src/features/chat/core/turnLimits';

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
