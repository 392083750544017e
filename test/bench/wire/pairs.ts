import { type BenchRow, median, relative } from '../row';
import type { HostClient } from './hostClient';

/** Of both sides, with the one connection observed and with the other. */
const rounds = 30;
const warmUps = 4;
/** So many that the garbage of the messages is collected within the round. */
const callsPerRound = 3_000;

type Measured = Record<'wall' | 'cpu', number[]>;

interface Compared {
  /** Completes "<name>, wall time". */
  readonly name: string;
  /** Limits of the ratios. */
  readonly budget: Readonly<Record<keyof Measured, number>>;
  /** Switches what is measured on or off for a connection. */
  turn(client: HostClient, isOn: boolean): void;
}

/**
 * What something costs a call: the same calls through two connections, one with it, one without, which change places halfway.
 * Wall time of calls one at a time, and CPU of this process.
 */
export async function* comparedCalls(
  [one, other]: readonly [HostClient, HostClient],
  { name, budget, turn }: Compared,
): AsyncGenerator<BenchRow> {
  const observed: Measured = { wall: [], cpu: [] };
  const plain: Measured = { wall: [], cpu: [] };
  for (const [withIt, without] of [
    [one, other],
    [other, one],
  ] as const) {
    turn(withIt, true);
    turn(without, false);
    for (let round = -warmUps; round < rounds; round++) {
      const sides = [
        { client: withIt, measured: observed },
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
  yield inPairs(`${name}, wall time`, observed.wall, plain.wall, budget.wall);
  yield inPairs(`${name}, CPU of the client`, observed.cpu, plain.cpu, budget.cpu);
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
function inPairs(name: string, measured: readonly number[], against: readonly number[], budget: number): BenchRow {
  const ratios = measured.map((value, i) => value / against[i]!);
  return { ...relative(name, measured, 'µs', against, budget), ratio: Number(median(ratios).toPrecision(4)) };
}
