// A file of its own: activation loads json.ts, and needs nothing of this.
import { parsedJson } from './json';

/** In characters. Shorter texts are parsed within 0.3 s, however deep they are, so that one deep part of them is left out alone. */
const LONG_TEXT = 2_000_000;
const MAX_PARSED_LEVELS = 5_000;

/** The value in a text of JSON from elsewhere; undefined for any other text, and for a long one with levels by the thousand. */
export const shallowJson = (text: string): unknown =>
  text.length > LONG_TEXT && hasManyLevels(text) ? undefined : parsedJson(text);

/** Whether JSON is so deep that the parser, which is slow where it is deep, would block for seconds. Linear, and quick in strings. */
function hasManyLevels(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      at = text.indexOf('"', at + 1);
      while (at > 0 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
      if (at < 0) return false;
    } else if (character === '[' || character === '{') {
      if (++level > MAX_PARSED_LEVELS) return true;
    } else if (character === ']' || character === '}') level--;
  }
  return false;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from--;
  return (at - from) % 2 === 1;
}
