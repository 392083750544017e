// One line of `npm run bench`.

export interface BenchRow {
  name: string;
  value: number;
  unit: string;
  /** The same thing measured on the reference, in the same run and unit; null when there is no reference. */
  against: number | null;
  /** `value / against`; null when there is no reference. */
  ratio: number | null;
  /** The limit for `ratio`, or for `value` where there is no reference. */
  budget: number;
}

/** What a compiled `test/bench/*.bench.ts` exports. */
export interface BenchModule {
  rows(): AsyncIterable<BenchRow>;
}

/** A row without a reference: `budget` is the limit for `value`. */
export const absolute = (name: string, value: number, unit: string, budget: number): BenchRow => ({
  name,
  value: round(value),
  unit,
  against: null,
  ratio: null,
  budget,
});

/** A row with a reference: `budget` is the limit for the ratio. */
export const relative = (name: string, value: number, unit: string, against: number, budget: number): BenchRow => ({
  name,
  value: round(value),
  unit,
  against: round(against),
  ratio: round(value / against),
  budget,
});

export function median(values: number[]): number {
  if (values.length === 0) throw new Error('the median of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const round = (value: number) => Number(value.toPrecision(4));
