// From a fresh process to the first server ready with its tools listed: our host bundle against a bare SDK client in
// legacy mode. The processes take turns; both bundles are minified, and compiled code is cached for both.

import { withScripts } from './connect/run';
import { type BenchRow, relative } from './row';

const rounds = 11;

export const rows = (): AsyncGenerator<BenchRow> =>
  withScripts(async function* (run) {
    const times = { cold: [] as number[], remembered: [] as number[], sdk: [] as number[] };
    const measures = {
      cold: () => run('ours', '1'),
      sdk: () => run('bareSdk'),
      remembered: () => run('ours', '1', 'remembered'),
    };
    for (let round = 0; round <= rounds; round++) {
      const order = Object.entries(measures);
      if (round % 2 === 0) order.reverse();
      for (const [side, measure] of order) {
        const ms = await measure();
        if (round > 0) times[side as keyof typeof times].push(ms); // the first round fills the caches
      }
    }
    // Cold: the era is probed on the server's own pipe.
    yield relative('connect: to the first server ready, tools listed', times.cold, 'ms', times.sdk, 1.2);
    yield relative('connect: the same, its era remembered', times.remembered, 'ms', times.sdk, 1.2);
  });
