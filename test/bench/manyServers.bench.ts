// From a fresh process to twenty servers ready with their tools listed, against twenty bare SDK clients at once.

import { withScripts } from './connect/run';
import { type BenchRow, relative } from './row';

const rounds = 5;
const servers = '20';

export const rows = (): AsyncGenerator<BenchRow> =>
  withScripts(async function* (run) {
    const times = { ours: [] as number[], bareSdk: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      const order = round % 2 === 0 ? (['ours', 'bareSdk'] as const) : (['bareSdk', 'ours'] as const);
      for (const side of order) {
        const ms = await run(side, servers);
        if (round > 0) times[side].push(ms); // the first round fills the caches
      }
    }
    yield relative('many servers: 20 ready, tools listed', times.ours, 'ms', times.bareSdk, 1.2);
  });
