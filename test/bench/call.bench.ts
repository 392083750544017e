// tools/call through ServerConnection against JSON lines by hand: CPU of this process for each call, one at a time and a
// hundred at once.
import { type BenchRow, relative } from './row';
import { alternate, withSides } from './wire/sides';

const rounds = 15;
const callsPerRound = 2_000;

export const rows = (): AsyncGenerator<BenchRow> =>
  withSides(async function* (sides) {
    for (const [inFlight, budget] of [
      [1, 2.0],
      [100, 2.5],
    ] as const) {
      const { ours, floor } = await alternate(sides, { rounds, warmUps: 3 }, async client => {
        const before = process.cpuUsage();
        for (let done = 0; done < callsPerRound; done += inFlight) {
          if (inFlight === 1) await client.call('echo', { text: 'hello' });
          else await Promise.all(Array.from({ length: inFlight }, () => client.call('echo', { text: 'hello' })));
        }
        const { user, system } = process.cpuUsage(before);
        return (user + system) / callsPerRound;
      });
      yield relative(`call: CPU of the client, ${inFlight} in flight`, ours, 'µs', floor, budget);
    }
  });
