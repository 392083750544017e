import assert from 'node:assert/strict';
import { soak } from '../../soak/soak';

describe('a short soak', () => {
  it('of ten servers leaks nothing, and every server returns', async function () {
    this.timeout(90_000);
    const lines: string[] = [];
    const { counts, problems } = await soak({
      servers: 10,
      ms: 4_000,
      warmUpMs: 1_000,
      seed: 1,
      print: line => void lines.push(line),
      printEveryMs: 1_000,
    });
    assert.deepEqual(problems, [], lines.join('\n'));
    assert.ok((counts.call ?? 0) > 10 && (counts.edit ?? 0) > 0, JSON.stringify(counts));
  });
});
