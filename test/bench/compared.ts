import { readFileSync } from 'node:fs';
import { type BenchRow, judged } from './row';

/** Rows of an earlier run, as `npm run bench` prints and keeps them. */
export function readRows(file: string): BenchRow[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter(line => line.startsWith('{')).map(line => JSON.parse(line) as BenchRow);
}

/** A table of two runs: each row with what it was, what it is, the change, and its budget where it is missed now. */
export function compared(before: readonly BenchRow[], now: readonly BenchRow[]): string {
  const earlier = new Map(before.map(row => [row.name, row]));
  const lines = now.map(row => {
    const old = earlier.get(row.name);
    const unit = row.ratio === null ? ` ${row.unit}` : '×';
    const change = old ? percent(judged(row) / judged(old)) : 'new';
    const missed = judged(row) > row.budget ? `  over its budget of ${row.budget}` : '';
    return [row.name, old ? `${judged(old)} →` : '', `${judged(row)}${unit}`, `${change}${missed}`];
  });
  const names = new Set(now.map(({ name }) => name));
  for (const { name } of before) if (!names.has(name)) lines.push([name, '', '', 'not measured now']);
  const widths = [0, 1, 2].map(column => Math.max(...lines.map(line => line[column]!.length)));
  return lines.map(line => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')).join('\n');
}

function percent(factor: number): string {
  if (!Number.isFinite(factor)) return 'was 0';
  const change = (factor - 1) * 100;
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %`;
}
