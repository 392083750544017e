/** A reading of a text: the result of undoing one or more encodings. */
interface Reading {
  readonly text: string;
  /** Maps its units to places in the original text; undefined: they are the same. Computed only when it is needed. */
  readonly places?: () => Places;
}

/** Where each unit begins and ends. */
interface Places {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** How many times encodings may be nested, such as JSON within JSON. */
const MAX_LAYERS = 4;
/** The most readings of one text. Each costs as much as the text itself. */
const MAX_READINGS = 24;
/** The mark at the end of a text that was cut. */
export const CUT = '…';

/** The escapes of JSON, and others of JavaScript and Python. An escape that was cut is not part of the text. */
const ESCAPE = /\\(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|["'\\/bfnrt])|\\(?:u[\dA-Fa-f]{0,3}|x[\dA-Fa-f]?)?(?=…)/g;
const NAMED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const CODES = /(?:%[\dA-Fa-f]{2})+|%[\dA-Fa-f]?(?=…)/g;
/** Line breaks within long base64, or within anything else made of its characters. */
const LINE_BREAK = /(?<=[\w+/=-]{16})[\r\n]\s*(?=[\w+/=-])/g;
const MAY_BE_SPELLED = /[\\%+\r\n]/;

/**
 * The readings of a text, beginning with the text itself: with JSON escapes, URL encoding and line breaks within base64
 * undone, also when nested. Linear in the text.
 * @param plus whether "+" may also stand for a space.
 */
export function readings(text: string, plus: boolean): Reading[] {
  const all: (Reading & { layers: number })[] = [{ text, layers: 0 }];
  if (!MAY_BE_SPELLED.test(text)) return all;
  const seen = new Set([text]);
  for (const reading of all) {
    if (reading.layers === MAX_LAYERS) continue;
    for (const undo of [unescaped, unquoted, joined, ...(plus ? [spaced] : [])]) {
      const next = all.length < MAX_READINGS ? undo(reading) : undefined;
      if (!next || seen.has(next.text)) continue;
      seen.add(next.text);
      all.push({ ...next, layers: reading.layers + 1 });
    }
  }
  return all;
}

/** A piece of a match: what it stands for, and the length of its encoded form. */
type Piece = readonly [means: string, length: number];

const unescaped = (reading: Reading) =>
  undone(reading, ESCAPE, ofEscape, spelled => [[ofEscape(spelled), spelled.length]]);

function ofEscape(spelled: string): string {
  const letter = spelled[1] ?? '';
  if (letter !== 'u' && letter !== 'x') return NAMED[letter] ?? letter;
  const isWhole = spelled.length === (letter === 'u' ? 6 : 4);
  return isWhole ? String.fromCharCode(Number.parseInt(spelled.slice(2), 16)) : '';
}

const unquoted = (reading: Reading) =>
  undone(reading, CODES, codes => Array.from(charactersOf(codes), ([means]) => means).join(''), charactersOf);

const joined = (reading: Reading) =>
  undone(
    reading,
    LINE_BREAK,
    () => '',
    text => [['', text.length]],
  );

function spaced(reading: Reading): Reading | undefined {
  return reading.text.includes('+') ? { ...reading, text: reading.text.replaceAll('+', ' ') } : undefined;
}

/** The characters of `%c3%a4` and the like: UTF-8, or single bytes if they are not valid UTF-8. */
function* charactersOf(codes: string): Generator<Piece> {
  const count = Math.floor(codes.length / 3);
  if (count === 0) yield ['', codes.length];
  const byteAt = (index: number) => Number.parseInt(codes.slice(index * 3 + 1, index * 3 + 3), 16);
  for (let at = 0; at < count; ) {
    const first = byteAt(at);
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    const bytes = Array.from({ length: Math.min(length, count - at) }, (_, n) => byteAt(at + n));
    const isCharacter = bytes.length === length && bytes.slice(1).every(byte => byte >> 6 === 2);
    const code = bytes.slice(1).reduce((sum, byte) => (sum << 6) | (byte & 63), first & (0xff >> (length + 1)));
    const isOne = length === 1 || !isCharacter || code > 0x10ffff;
    yield isOne ? [String.fromCharCode(first), 3] : [String.fromCodePoint(code), length * 3];
    at += isOne ? 1 : length;
  }
}

/**
 * @param means what a match stands for.
 * @param pieces the same in pieces, from which places are computed.
 */
function undone(
  reading: Reading,
  pattern: RegExp,
  means: (match: string) => string,
  pieces: (match: string) => Iterable<Piece>,
): Reading | undefined {
  const text = reading.text.replace(pattern, match => means(match));
  if (text === reading.text) return undefined;
  let places: Places | undefined;
  return {
    text,
    places: () => {
      places ??= placesOf(reading, text.length, pattern, pieces);
      return places;
    },
  };
}

function placesOf(
  { text, places }: Reading,
  length: number,
  pattern: RegExp,
  pieces: (match: string) => Iterable<Piece>,
): Places {
  const before = places?.();
  const [from, to] = [new Int32Array(length), new Int32Array(length)];
  let [size, done] = [0, 0];
  const put = (count: number, first: number, last: number) => {
    for (let n = 0; n < count; n++) {
      from[size] = before ? before.from[first]! : first;
      to[size++] = before ? before.to[last]! : last + 1;
    }
  };
  const plain = (end: number) => {
    for (; done < end; done++) put(1, done, done);
  };
  for (const { 0: match, index } of text.matchAll(pattern)) {
    plain(index);
    for (const [means, length] of pieces(match)) {
      put(means.length, done, done + length - 1);
      done += length;
    }
  }
  plain(text.length);
  return { from, to };
}
