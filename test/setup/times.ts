// How long test files took when they last ran. What is not remembered is guessed: only the order of things depends on it.
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

/** For sources of tests. */
export function expectedMs(): (source: string) => number {
  const times = readTimes();
  return source => {
    const [, layer = ''] = source.split('/');
    const [windowMs, byteMs] = guesses[layer as keyof typeof guesses] ?? guesses.unit;
    const size = fs.statSync(inRepository(source), { throwIfNoEntry: false })?.size ?? 0;
    return times[source] ?? windowMs + size * byteMs;
  };
}
