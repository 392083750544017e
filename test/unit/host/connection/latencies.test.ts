import assert from 'node:assert/strict';
import { Latencies } from '../../../../src/host/connection/vitals';

describe('latencies', () => {
  it('have percentiles of the kept values, and the newest in order', () => {
    const latencies = new Latencies();
    assert.equal(latencies.percentiles([0.5]), undefined);
    for (let n = 1; n <= 600; n++) latencies.add(n);
    assert.deepEqual(latencies.last(3), [598, 599, 600]);
    assert.equal(latencies.count, 600);
    // Of 89 to 600.
    assert.deepEqual(latencies.percentiles([0.5, 0.95]), [344, 575]);
  });
});
