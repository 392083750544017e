// The recorded runs of `npm run bench`, in docs/performance/history.jsonl: a run a line. They are the baseline of the gate, the
// figures of docs/performance.md, and what its plots are drawn from.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository } from '../setup/paths';
import { atBest, type BenchRow, judged, median } from './row';

export interface RecordedRun {
  /** ISO 8601. */
  readonly date: string;
  readonly commit: string;
  /** Processor and their number, and the version of Node. */
  readonly machine: string;
  /** How long each benchmark took. */
  readonly seconds: Readonly<Record<string, number>>;
  readonly rows: readonly BenchRow[];
}

/** What a row was in recorded runs. */
export interface Baseline {
  /** The median of the last runs. */
  readonly value: number;
  /** How far a run was from it at most, as a share of it. */
  readonly noise: number;
}

export const HISTORY = 'docs/performance/history.jsonl';
/** The runs that count, the newest. */
const RUNS = 5;
/** The noise of a row that was recorded less often than that is not known yet. */
const KNOWN_RUNS = 3;
const UNKNOWN_NOISE = 0.3;
const LEAST_NOISE = 0.05;

export function readHistory(file = inRepository(HISTORY)): RecordedRun[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return lines.filter(Boolean).map(line => JSON.parse(line) as RecordedRun);
}

export function record(run: RecordedRun): void {
  const file = inRepository(HISTORY);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.appendFileSync(file, `${JSON.stringify(run)}\n`);
}

/** @returns undefined for a row that was never recorded. */
export function baselineOf(name: string, history: readonly RecordedRun[]): Baseline | undefined {
  const rows = history.flatMap(({ rows }) => rows.filter(row => row.name === name));
  const values = rows.slice(-RUNS).map(judged);
  if (values.length === 0) return undefined;
  const value = median(values);
  if (values.length < KNOWN_RUNS || value === 0) return { value, noise: UNKNOWN_NOISE };
  return { value, noise: Math.max(LEAST_NOISE, ...values.map(one => Math.abs(one - value) / value)) };
}

/**
 * What `npm run bench -- --gate` fails for: a row over its budget by more than chance, and a ratio that is worse than its baseline
 * by more than its noise. Values without a reference are held against their budget alone: they differ from machine to machine.
 */
export function complaints(rows: readonly BenchRow[], history: readonly RecordedRun[]): string[] {
  return rows.flatMap(row => {
    const now = judged(row);
    if (atBest(row) > row.budget) return [`${row.name}: ${shown(now, row)} is over its budget of ${row.budget}`];
    const before = row.ratio === null ? undefined : baselineOf(row.name, history);
    if (!before || now <= before.value * (1 + before.noise)) return [];
    const noise = Math.round(before.noise * 100);
    return [
      `${row.name}: ${shown(now, row)} is worse than ${shown(before.value, row)} by more than its noise of ${noise} %`,
    ];
  });
}

const shown = (value: number, { ratio, unit }: BenchRow) => `${value}${ratio === null ? ` ${unit}` : '×'}`;
