import assert from 'node:assert/strict';
import { normalized } from '../../../src/base/normalized';

describe('a text in a normal form', () => {
  it('is that of Unicode, with at most 30 marks in a row @normalized.30-marks', () => {
    assert.equal(normalized('Mu\u0308sli ﬁn', 'NFKC'), 'Müsli fin');
    assert.equal(normalized(`e${'\u0316'.repeat(30)}`), `e${'\u0316'.repeat(30)}`);
    assert.equal(normalized(`a${'\u0300'.repeat(50)}${'\u0316'.repeat(50)}b`), `à${'\u0300'.repeat(29)}b`);
    const astral = '\u{1e8d0}';
    assert.equal(normalized(`a${astral.repeat(40)}`), `a${astral.repeat(30)}`);
  });
});
