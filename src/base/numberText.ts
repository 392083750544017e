import { getOrInsert } from './events';
import { isObject } from './json';
import { type Phrase, phrase } from './phrase';

let language = 'en-US';
const formats = new Map<number | undefined, Intl.NumberFormat>();

/** Sets the language of `numberText`, where a window or a page begins. Programs without a person to read them keep English. */
export function writeNumbersIn(tag: string): void {
  language = tag;
  formats.clear();
}

/**
 * A number as a person writes it: `1,234.5` in English, `1.234,5` in German. Not for logs, files and models, which get
 * `String(value)` or `toFixed`.
 * @param digits after the decimal sign; without it, as many as the number has, and at most three.
 */
export function numberText(value: number, digits?: number): string {
  const format = getOrInsert(
    formats,
    digits,
    () => new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  );
  return format.format(value);
}

const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** A size in the person's language: `12 B`, `1.5 KB`, `12 MB`. Units of 1024 bytes, as the editor has them. */
export function formatSize(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return '';
  const [value, unit] = inUnits(bytes);
  return `${Number.isInteger(value) ? value : numberText(value, 1)} ${unit}`;
}

/** A size as a part of a phrase, for texts that models or logs get too, in English. */
export function sizePhrase(bytes: number): Phrase {
  const [value, unit] = inUnits(bytes);
  return { text: `{0} ${unit}`, values: [value] };
}

function inUnits(bytes: number): [value: number, unit: string] {
  let size = bytes;
  let unit = 'B';
  for (const next of UNITS) {
    if (size < 1024) break;
    size /= 1024;
    unit = next;
  }
  return [unit === 'B' || size >= 10 ? Math.round(size) : Math.round(size * 10) / 10, unit];
}

/** The longest timer in Node, in milliseconds: a longer one fires immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** In the person's language: `12 ms`, `3.4 s`, `2 min 5 s`; in detail `0.4 ms`, `1.25 s`. */
export function formatDuration(ms: number, isDetailed = false): string {
  if (isDetailed && ms < 10) return `${numberText(ms, 1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${numberText(ms / 1_000, isDetailed ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Of data that has integers of 64 bits: a number of JavaScript has 53. Undefined if it has none. */
export function roundedNote(data: unknown): Phrase | undefined {
  const open = [data];
  while (open.length > 0) {
    const one = open.pop();
    if (Array.isArray(one)) for (const item of one) open.push(item);
    else if (isObject(one)) for (const name in one) open.push(one[name]);
    else if (typeof one === 'number' && Math.abs(one) > Number.MAX_SAFE_INTEGER && Math.abs(one) <= 2 ** 64)
      return ROUNDED;
  }
  return undefined;
}

const ROUNDED = phrase(
  'Integers of more than 15 digits are rounded here: their last digits may not be those that the server sent.',
);
