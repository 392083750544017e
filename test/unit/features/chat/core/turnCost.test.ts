import assert from 'node:assert/strict';
import { noCost, TokenBudget, totalTokens } from '../../../../../src/features/chat/core/turnRecord';

describe('the cost of a turn', () => {
  it('counts what was sent: definitions, conversation and results, over all requests', () => {
    assert.equal(totalTokens(noCost()), 0);
    assert.equal(totalTokens({ calls: 3, requests: 2, definitions: 100, history: 20, results: 3 }), 123);
  });

  it('warns once beyond 80 % of the budget, and ends the turn beyond all of it', () => {
    const budget = new TokenBudget(1_000);
    const said = [500, 800, 801, 900, 1_000, 1_001].map(tokens => budget.at(tokens));
    assert.deepEqual(said, ['go on', 'go on', 'warn', 'go on', 'go on', 'stop']);
    assert.equal(new TokenBudget(1_000).at(5_000), 'stop');
  });
});
