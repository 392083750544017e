import assert from 'node:assert/strict';
import { formatDuration } from '../../../src/base/numberText';

describe('formatDuration', () => {
  it('uses the unit that people use', () => {
    const durations = [3.6, 999, 3_400, 125_000].map(ms => formatDuration(ms));
    assert.deepEqual(durations, ['4 ms', '999 ms', '3.4 s', '2 min 5 s']);
  });

  it('gives more digits where durations are compared', () => {
    const durations = [0.42, 9.99, 12.3, 999, 1_250, 125_000].map(ms => formatDuration(ms, true));
    assert.deepEqual(durations, ['0.4 ms', '10.0 ms', '12 ms', '999 ms', '1.25 s', '2 min 5 s']);
  });
});
