// How long test files took when they last ran. Other times are guessed: they decide the order, and what fits into `--minutes`.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { cache, inRepository } from './paths';

/** By source, in milliseconds. */
export type Times = Record<string, number>;

const file = path.join(cache, 'test-times.json');

function readTimes(): Times {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as Times;
  } catch {
    return {}; // none ran yet, or one was cut off as it wrote
  }
}

export function rememberTimes(times: Times): void {
  const all = { ...readTimes(), ...times };
  const there = Object.keys(all).filter(source => fs.existsSync(inRepository(source)));
  fs.mkdirSync(cache, { recursive: true });
  fs.writeFileSync(file, JSON.stringify(all, there.sort(), 1));
}

/** What a guess is made of: milliseconds for a window, and for each byte. */
const guesses = { unit: [0, 0.25], editor: [0, 1.3], ui: [12_000, 4] } as const;

const layerOf = (source: string) => source.split('/')[1] ?? '';

function guess(source: string): number {
  const [windowMs, byteMs] = guesses[layerOf(source) as keyof typeof guesses] ?? guesses.unit;
  return windowMs + (fs.statSync(inRepository(source), { throwIfNoEntry: false })?.size ?? 0) * byteMs;
}

/** For sources of tests. Guesses are as slow as this machine was with others of their layer. */
export function expectedMs(): (source: string) => number {
  const times = readTimes();
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  const paces = new Map(
    [...Map.groupBy(Object.keys(times), layerOf)].map(([layer, sources]) => {
      return [layer, sum(sources.map(source => times[source]!)) / sum(sources.map(guess))];
    }),
  );
  return source => times[source] ?? guess(source) * (paces.get(layerOf(source)) || 1);
}
