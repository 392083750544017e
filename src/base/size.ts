import { numberText } from './numberText';
import type { Phrase } from './phrase';

const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** A size in the person's language: `12 B`, `1.5 KB`, `12 MB`. Units of 1024 bytes, as the editor has them. */
export function formatSize(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return '';
  const [value, unit] = inUnits(bytes);
  return `${Number.isInteger(value) ? value : numberText(value, 1)} ${unit}`;
}

/** The same as a part of a phrase, for texts that models or logs get too, in English. */
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
