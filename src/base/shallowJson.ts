import { parsedJson } from './json';

// A file of its own: activation loads json.ts, and needs nothing of this.

/** In characters. Shorter texts are parsed within 0.3 s, whatever is in them, so that one deep part of them is left out alone. */
const LONG_TEXT = 2_000_000;
const MAX_PARSED_LEVELS = 5_000;
/** Lists, objects, and what stands in them: each becomes some hundred bytes, and more where it is read. */
const MAX_VALUES = 2_000_000;

/** The value in a text of JSON from elsewhere; undefined for any other text, and for one that `isExcessive`. */
export const shallowJson = (text: string): unknown => (isExcessive(text) ? undefined : parsedJson(text));

/**
 * Whether a text of JSON is long and has levels by the thousand or values by the million: the parser would block for seconds, and what it
 * makes would fill the memory. Linear, and quick in strings.
 */
export function isExcessive(text: string): boolean {
  if (text.length <= LONG_TEXT) return false;
  let [level, values] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      at = text.indexOf('"', at + 1);
      while (at > 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
      if (at < 0) return false;
    } else if (character === '[' || character === '{') {
      if (++level > MAX_PARSED_LEVELS || ++values > MAX_VALUES) return true;
    } else if (character === ',') {
      if (++values > MAX_VALUES) return true;
    } else if (character === ']' || character === '}') level--;
  }
  return false;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from--;
  return (at - from) % 2 === 1;
}
