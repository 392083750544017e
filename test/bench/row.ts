// One line of `npm run bench`.
import { loadavg } from 'node:os';

export interface BenchRow {
  name: string;
  /** The median, when it was measured several times. */
  value: number;
  unit: string;
  /** The same thing measured on the reference, in the same run and unit; null when there is no reference. */
  against: number | null;
  /** `value / against`; null when there is no reference. */
  ratio: number | null;
  /** The limit for `ratio`, or for `value` where there is no reference. */
  budget: number;
  /** From the lower quartile to the upper one, of what was measured several times; else null. */
  spread: [number, number] | null;
  /** How many processes wanted a processor meanwhile (the mean of a minute): beyond their number, times are too long. */
  load: number;
}

/** What a row is judged by: machines differ, ratios less so. */
export const judged = ({ ratio, value }: BenchRow): number => ratio ?? value;

/** The same from the lower quartile: what is over its budget even then is not so by chance. */
export const atBest = ({ against, spread, value }: BenchRow): number => (spread?.[0] ?? value) / (against ?? 1);

/** What a compiled `test/bench/*.bench.ts` exports. */
export interface BenchModule {
  rows(): AsyncIterable<BenchRow>;
}

/** One value, or what was measured several times. */
type Measured = number | readonly number[];

/** A row without a reference: `budget` is the limit for `value`. */
export const absolute = (name: string, measured: Measured, unit: string, budget: number): BenchRow => ({
  name,
  value: round(middle(measured)),
  unit,
  against: null,
  ratio: null,
  budget,
  spread: spread(measured),
  load: round(loadavg()[0] ?? 0),
});

/** A row with a reference: `budget` is the limit for the ratio. */
export const relative = (
  name: string,
  measured: Measured,
  unit: string,
  against: Measured,
  budget: number,
): BenchRow => ({
  ...absolute(name, measured, unit, budget),
  against: round(middle(against)),
  ratio: round(middle(measured) / middle(against)),
});

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

const middle = (measured: Measured) => (typeof measured === 'number' ? measured : median(measured));

function spread(measured: Measured): [number, number] | null {
  if (typeof measured === 'number' || measured.length < 2) return null;
  return [round(quantile(measured, 0.25)), round(quantile(measured, 0.75))];
}

/** Between two values where it falls between them. */
function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('the median of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)]!;
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at));
}

const round = (value: number) => Number(value.toPrecision(4));
