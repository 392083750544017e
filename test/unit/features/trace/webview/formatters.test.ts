import assert from 'node:assert/strict';
import { barOf, formatTime, hueOf } from '../../../../../src/features/trace/webview/formatters';

describe('cell formatters of the trace', () => {
  it('format for people', () => {
    assert.equal(formatTime(new Date(2026, 0, 2, 3, 4, 5, 6).getTime()), '03:04:05.006');
    assert.ok(barOf(0) > 0 && barOf(1) < barOf(100) && barOf(1e9) === 1);
    assert.equal(hueOf('a', 6), hueOf('a', 6));
  });
});
