import assert from 'node:assert/strict';
import { matches } from '../../../src/base/text';

describe('wildcards', () => {
  it('match in linear time, however many stars they have', () => {
    const long = 'a'.repeat(20_000);
    assert.equal(matches(`${'a*'.repeat(200)}b`, long), false);
    assert.equal(matches('*'.repeat(20_000), long), true);
    assert.ok(matches('**', '') && !matches('', 'a') && matches('', ''));
    assert.ok(matches('a*b*c', 'a-b-b-c') && !matches('a*b*c', 'a-c-b'));
  });
});
