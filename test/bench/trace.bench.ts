// What the trace costs a call: the same calls through the same connection with the trace on and off in turn, wall time of
// calls one at a time and CPU of this process. The trace is full all the while, as it is in a window that was open for long.
import { type BenchRow, median, relative } from '../setup/benchRow';
import { HostClient } from './wire/hostClient';

const rounds = 60;
const warmUps = 6;
/** So many that the garbage which a message leaves behind is collected within the round. */
const callsPerRound = 5_000;
const on = { messages: 10_000, size: 32 * 1024 * 1024 };
const off = { messages: 0, size: 0 };

type Measured = Record<'wall' | 'cpu', number[]>;

export async function* rows(): AsyncGenerator<BenchRow> {
  const client = await HostClient.start();
  const traced: Measured = { wall: [], cpu: [] };
  const plain: Measured = { wall: [], cpu: [] };
  try {
    for (let round = -warmUps; round < rounds; round++) {
      const sides = round % 2 === 0 ? [traced, plain] : [plain, traced];
      for (const side of sides) {
        client.trace(side === traced ? on : off);
        await fill(client);
        const { wall, cpu } = await measure(client);
        if (round < 0) continue;
        side.wall.push(wall);
        side.cpu.push(cpu);
      }
    }
  } finally {
    await client.close();
  }
  yield inPairs('trace: a call with the trace on, wall time', traced.wall, plain.wall);
  yield inPairs('trace: a call with the trace on, CPU of the client', traced.cpu, plain.cpu);
}

async function measure(client: HostClient): Promise<Record<'wall' | 'cpu', number>> {
  // Both begin alike: neither pays for what the other has left.
  globalThis.gc?.();
  const before = process.cpuUsage();
  const start = performance.now();
  for (let i = 0; i < callsPerRound; i++) await client.call('echo', { text: 'hello' });
  const wall = ((performance.now() - start) * 1_000) / callsPerRound;
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / callsPerRound };
}

/** Lets the trace run full, if it is on. */
async function fill(client: HostClient): Promise<void> {
  for (let i = 0; i < on.messages / 2; i += 100) {
    await Promise.all(Array.from({ length: 100 }, () => client.call('echo', { text: 'hello' })));
  }
}

/** The ratio is that of neighbours in time: what else goes on in the machine changes more than what is measured. */
function inPairs(name: string, measured: readonly number[], against: readonly number[]): BenchRow {
  const ratios = measured.map((value, i) => value / against[i]!);
  return { ...relative(name, measured, 'µs', against, 1.02), ratio: Number(median(ratios).toPrecision(4)) };
}
