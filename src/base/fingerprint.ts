import { createHash, timingSafeEqual } from 'node:crypto';
import { getOrInsert } from './events';

/** Deeper than any honest definition or schema; a limit of our own fails at the same depth everywhere. */
const MAX_DEPTH = 500;
/** Of values that are part of many others, and never change. */
const kept = new WeakMap<object, string>();

/** Keeps the canonical JSON of a value, which must not change from now on. Throws as `canonicalJson` does. @returns the JSON. */
export const keepCanonical = (value: object): string => getOrInsert(kept, value, () => canonicalJson(value));

/**
 * JSON without spaces and with sorted keys, so that equal values give equal texts (as in RFC 8785). Like `JSON.stringify` it
 * leaves out properties that are undefined.
 *
 * @throws RangeError when nested deeper than 500 levels, as a cycle is. TypeError for a bigint.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) throw new RangeError(`The value is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const known = kept.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) return `[${value.map(item => canonicalJson(item, depth + 1)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical JSON of `value`, as 64 hexadecimal digits. Throws as `canonicalJson` does. */
export const fingerprint = (value: unknown): string => sha256(canonicalJson(value));

/** SHA-256 of bytes, or of a text in UTF-8, as 64 hexadecimal digits. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Compares secrets in a time that does not reveal how much is right: their hashes have the same length. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));
