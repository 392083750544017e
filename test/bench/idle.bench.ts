// Fifty connections that nothing is asked of: what each costs in memory, against the bare SDK, and what all together take
// of a processor. The time is that in which each is pinged once.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { absolute, type BenchRow, relative } from '../setup/benchRow';
import { inRepository } from '../setup/paths';
import { wireServer } from './wire/rawClient';

const rounds = 3;
const pingIntervalMs = 30_000;

export async function* rows(): AsyncGenerator<BenchRow> {
  const kilobytes = { ours: [] as number[], bareSdk: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const side of ['ours', 'bareSdk'] as const) kilobytes[side].push((await grow(side, 0)).kilobytes);
  }
  const { percent, kilobytes: last } = await grow('ours', pingIntervalMs);
  kilobytes.ours.push(last);
  yield relative('idle: memory of a connection', kilobytes.ours, 'KB', kilobytes.bareSdk, 1.2);
  yield absolute('idle: processor, 60 connections', percent, '%', 0.5);
}

async function grow(side: 'ours' | 'bareSdk', idleMs: number): Promise<{ kilobytes: number; percent: number }> {
  const args = ['--expose-gc', inRepository('out/bench/idle', `${side}.js`), wireServer, String(idleMs)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
  return JSON.parse(stdout);
}
