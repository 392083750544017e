// Fifty connections that nothing is asked of: what each costs in memory, beside the bare SDK's, and what all together take of a
// processor. The time is that in which each is pinged once. Resident memory has in it what the allocators keep of the starts;
// what a connection itself holds is on the heap.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inRepository } from '../setup/paths';
import { absolute, type BenchRow, relative } from './row';
import { wireServer } from './wire/rawClient';

const rounds = 3;
const pingIntervalMs = 30_000;

export async function* rows(): AsyncGenerator<BenchRow> {
  const resident: number[] = [];
  const heap = { ours: [] as number[], bareSdk: [] as number[] };
  const measure = async (side: keyof typeof heap, idleMs: number) => {
    const { kilobytes, heapKilobytes, percent } = await grow(side, idleMs);
    if (side === 'ours') resident.push(kilobytes);
    heap[side].push(heapKilobytes);
    return percent;
  };
  for (let round = 1; round < rounds; round++) {
    await measure('ours', 0);
    await measure('bareSdk', 0);
  }
  const percent = await measure('ours', pingIntervalMs);
  await measure('bareSdk', 0);
  yield relative('idle: heap of a connection', heap.ours, 'KB', heap.bareSdk, 4);
  yield absolute('idle: resident memory of a connection', resident, 'KB', 300);
  yield absolute('idle: processor, 60 connections', percent, '%', 0.5);
}

interface Grown {
  /** Of resident memory, for each connection. */
  kilobytes: number;
  heapKilobytes: number;
  /** Of one processor, all together. */
  percent: number;
}

async function grow(side: 'ours' | 'bareSdk', idleMs: number): Promise<Grown> {
  const args = ['--expose-gc', inRepository('out/test/bench/idle', `${side}.js`), wireServer, String(idleMs)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
  return JSON.parse(stdout);
}
