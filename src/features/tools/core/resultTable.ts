import { isObject } from '../../../base/json';

/** A list of objects as a table: the names of its columns, and its rows. */
export interface JsonTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Longer tables are drawn in portions of this many rows, each with a button for the next. */
export const ROWS_AT_ONCE = 200;

const MAX_COLUMNS = 20;

/** The table that a value is: a list of objects of mostly plain values, or an object with just such a list. */
export function tableOf(value: unknown): JsonTable | undefined {
  const inner = isObject(value) && Object.keys(value).length === 1 ? Object.values(value)[0] : value;
  if (!Array.isArray(inner) || inner.length === 0 || !inner.every(isObject)) return undefined;
  const columns = [...new Set(inner.flatMap(row => Object.keys(row)))];
  if (columns.length === 0 || columns.length > MAX_COLUMNS) return undefined;
  const cells = inner.flatMap(row => Object.values(row));
  const plain = cells.filter(cell => typeof cell !== 'object' || cell === null);
  if (plain.length * 2 < cells.length) return undefined;
  return { columns, rows: inner.map(row => columns.map(name => (Object.hasOwn(row, name) ? row[name] : undefined))) };
}
