import { isObject, parsedJson } from '../../../base/json';

// A field of several parts has one text like any other, so that the page sends it, and it is kept, as any other: the JSON of these.

/** The text of a value of one of several kinds. */
interface KindEntry {
  /** Index of the alternative. */
  readonly kind: number;
  readonly text: string;
}

/** A name and the text of its value. */
export type RowEntry = readonly [name: string, text: string];

export const textOfKind = (entry: KindEntry): string => JSON.stringify(entry);

export function kindIn(text: string): KindEntry {
  const entry = parsedJson(text);
  if (!isObject(entry) || !Number.isSafeInteger(entry.kind)) return { kind: 0, text: '' };
  return { kind: Number(entry.kind), text: typeof entry.text === 'string' ? entry.text : '' };
}

export const textOfRows = (rows: readonly RowEntry[]): string => (rows.length === 0 ? '' : JSON.stringify(rows));

export function rowsIn(text: string): RowEntry[] {
  const rows = parsedJson(text);
  const isRow = (row: unknown): row is RowEntry =>
    Array.isArray(row) && typeof row[0] === 'string' && typeof row[1] === 'string';
  return Array.isArray(rows) ? rows.filter(isRow) : [];
}

/** Choices within such a field are a text too: their indexes. */
export const textOfChosen = (chosen: readonly number[]): string => chosen.join(', ');

export const chosenIn = (text: string): number[] =>
  text.split(',').flatMap(one => (one.trim() === '' ? [] : [Number(one)]));
