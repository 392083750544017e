// What the trace costs a call: the same calls through two connections, one with the trace on, one with it off, which change
// places halfway. Wall time of calls one at a time, and CPU of this process. The trace is full all the while, as it is in a
// window that was open for long.
import { type BenchRow, median, relative } from '../setup/benchRow';
import { HostClient } from './wire/hostClient';

/** Of both sides, with the one connection traced and with the other. */
const rounds = 30;
const warmUps = 4;
/** So many that the garbage of the messages is collected within the round. */
const callsPerRound = 3_000;
const on = { messages: 10_000, size: 32 * 1024 * 1024 };
const off = { messages: 0, size: 0 };

type Measured = Record<'wall' | 'cpu', number[]>;

export async function* rows(): AsyncGenerator<BenchRow> {
  const [one, other] = [await HostClient.start(), await HostClient.start()];
  const traced: Measured = { wall: [], cpu: [] };
  const plain: Measured = { wall: [], cpu: [] };
  try {
    for (const [withTrace, without] of [
      [one, other],
      [other, one],
    ] as const) {
      withTrace.trace(on);
      without.trace(off);
      for (let round = -warmUps; round < rounds; round++) {
        const sides = [
          { client: withTrace, measured: traced },
          { client: without, measured: plain },
        ];
        for (const { client, measured } of round % 2 === 0 ? sides : sides.reverse()) {
          const { wall, cpu } = await measure(client);
          if (round < 0) continue;
          measured.wall.push(wall);
          measured.cpu.push(cpu);
        }
      }
    }
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
  yield inPairs('trace: a call with the trace on, wall time', traced.wall, plain.wall);
  yield inPairs('trace: a call with the trace on, CPU of the client', traced.cpu, plain.cpu);
}

async function measure(client: HostClient): Promise<Record<'wall' | 'cpu', number>> {
  // Neither pays for what the other has left.
  globalThis.gc?.();
  const before = process.cpuUsage();
  const start = performance.now();
  for (let i = 0; i < callsPerRound; i++) await client.call('echo', { text: 'hello' });
  const wall = ((performance.now() - start) * 1_000) / callsPerRound;
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / callsPerRound };
}

/** The ratio is that of neighbours in time: what else goes on in the machine changes more than what is measured. */
function inPairs(name: string, measured: readonly number[], against: readonly number[]): BenchRow {
  const ratios = measured.map((value, i) => value / against[i]!);
  return { ...relative(name, measured, 'µs', against, 1.02), ratio: Number(median(ratios).toPrecision(4)) };
}
