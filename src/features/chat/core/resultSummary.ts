import { isObject } from '../../../base/json';
import { visible } from '../../../base/text';

const MAX_KEYS = 30;
const MAX_COLUMNS = 40;
const SAMPLE = 200;
const LEVELS = ['fatal', 'error', 'warning', 'warn', 'info', 'debug', 'trace'] as const;

/** Summarizes a long result in a line or two: keys and counts of JSON, columns of a table, levels of a log. */
export function resultSummary(lines: readonly string[], data: unknown): string {
  if (data !== undefined) return `JSON: ${shapeOf(data, 0)}`;
  return tableOf(lines) ?? logOf(lines) ?? `Text of ${lines.length} lines.`;
}

function shapeOf(value: unknown, depth: number): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return 'empty array';
    if (depth > 2) return `array of ${value.length}`;
    const objects = value.slice(0, SAMPLE).filter(isObject);
    if (objects.length === 0) return `array of ${value.length} (${shapeOf(value[0], depth + 1)}, …)`;
    const counts = new Map<string, number>();
    for (const key of objects.flatMap(Object.keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
    const keys = [...counts].map(([key, count]) => `${visible(key, 60)}${count < objects.length ? '?' : ''}`);
    return `array of ${value.length} objects with the keys ${listed(keys)}`;
  }
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  const entries = Object.entries(value);
  if (depth > 1) return `object with ${entries.length} keys`;
  return `object with the keys ${listed(
    entries.slice(0, MAX_KEYS + 1).map(([key, member]) => `${visible(key, 60)} (${shapeOf(member, depth + 1)})`),
    entries.length,
  )}`;
}

function listed(keys: readonly string[], count = keys.length): string {
  const shown = keys.slice(0, MAX_KEYS).join(', ');
  return count > MAX_KEYS ? `${shown} and ${count - MAX_KEYS} more` : shown;
}

/** Rows that all have as many cells as the first one. */
function tableOf(lines: readonly string[]): string | undefined {
  const rows = lines.filter(line => line.trim() !== '');
  const sample = rows.slice(0, SAMPLE);
  if (sample.length < 3) return undefined;
  for (const separator of ['\t', '|', ';', ',']) {
    const cells = (line: string) => line.replace(/^\||\|$/g, '').split(separator);
    const count = cells(sample[0]!).length;
    const alike = sample.filter(line => cells(line).length === count).length;
    if (count < 2 || alike < sample.length * 0.9) continue;
    const columns = cells(sample[0]!)
      .slice(0, MAX_COLUMNS)
      .map(cell => visible(cell.trim(), 60));
    return `Table of ${rows.length - 1} rows with the columns ${columns.join(', ')}${count > MAX_COLUMNS ? ', …' : ''}.`;
  }
  return undefined;
}

function logOf(lines: readonly string[]): string | undefined {
  const level = new RegExp(`\\b(${LEVELS.join('|')})\\b`, 'i');
  const levelOf = (line: string) => level.exec(line.slice(0, 200))?.[1]?.toLowerCase();
  const sample = lines.slice(0, SAMPLE);
  if (sample.length < 5 || sample.filter(levelOf).length < sample.length * 0.3) return undefined;
  const counts = new Map<string, number>();
  for (const line of lines) {
    const found = levelOf(line);
    if (found) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  return `Log of ${lines.length} lines: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}.`;
}
