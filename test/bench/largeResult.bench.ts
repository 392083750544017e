// One large result of a tool through ServerConnection against JSON lines by hand: from the call to the result.
import { type BenchRow, relative } from './row';
import { alternate, withSides } from './wire/sides';

const rounds = 21;
/** The same for each size: the time grows with the size, no faster. */
const budget = 1.3;

export const rows = (): AsyncGenerator<BenchRow> =>
  withSides(async function* (sides) {
    for (const megabytes of [1, 8, 32]) {
      const { ours, floor } = await alternate(
        sides,
        { rounds: megabytes > 8 ? 7 : rounds, warmUps: 3 },
        async client => {
          // What is left of the round before must not be collected at this one's cost.
          gc?.();
          const start = performance.now();
          await client.call('large', { bytes: megabytes * 1024 * 1024 });
          return performance.now() - start;
        },
      );
      yield relative(`large result: ${megabytes} MB`, ours, 'ms', floor, budget);
    }
  });
