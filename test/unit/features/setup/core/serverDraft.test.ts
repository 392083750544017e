import assert from 'node:assert/strict';
import { pairsOf, withPairs } from '../../../../../src/features/setup/core/serverDraft';

describe('editable variables and headers of a draft', () => {
  it('are texts; a removed variable stays removed', () => {
    const entry = { command: 'x', env: { A: '1', PORT: 80, GONE: null, BACK: null } };
    const pairs = pairsOf(entry);
    assert.deepEqual(Object.fromEntries(pairs), { A: '1', PORT: '80' });
    pairs.delete('A');
    pairs.set('BACK', 'b');
    assert.deepEqual(withPairs(entry, pairs), { command: 'x', env: { PORT: '80', GONE: null, BACK: 'b' } });
    assert.deepEqual(withPairs({ command: 'x', env: { A: '1' } }, new Map()), { command: 'x' });
    assert.deepEqual(withPairs({ url: 'u' }, new Map([['K', 'v']])), { url: 'u', headers: { K: 'v' } });
  });
});
