/** A text as it reads with one or more ways to spell it undone. */
export interface Reading {
  readonly text: string;
  /** Where its units stand in the text that was given; undefined: where they do here. To be asked only when it matters. */
  readonly places?: () => Places;
}

/** Where each unit begins and ends. */
export interface Places {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** So often a text may be encoded again, such as JSON within JSON. */
const MAX_LAYERS = 4;
/** Of one text. Each costs as much again as the text itself. */
const MAX_READINGS = 24;
/** What a text that was cut ends in. */
export const CUT = '…';

/** JSON, and what JavaScript and Python have beside it. What was cut within an escape is none of the text. */
const ESCAPE = /\\(?:u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|["'\\/bfnrt])|\\(?:u[\dA-Fa-f]{0,3}|x[\dA-Fa-f]?)?(?=…)/g;
const NAMED: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const CODES = /(?:%[\dA-Fa-f]{2})+|%[\dA-Fa-f]?(?=…)/g;
/** Where long base64, or anything else of its characters, was broken into lines. */
const LINE_BREAK = /(?<=[\w+/=-]{16})[\r\n]\s*(?=[\w+/=-])/g;
const MAY_BE_SPELLED = /[\\%+\r\n]/;

/**
 * The readings of a text, itself first: with the escapes of JSON undone, the codes of URLs, the line breaks within base64, and
 * these within each other. Linear in the text.
 * @param plus whether "+" may stand for a space too.
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

/** A piece of a match: what it stands for, and how long it is as it is spelled. */
type Piece = readonly [means: string, length: number];

function unescaped(reading: Reading): Reading | undefined {
  return reading.text.includes('\\')
    ? undone(reading, ESCAPE, ofEscape, spelled => [[ofEscape(spelled), spelled.length]])
    : undefined;
}

function ofEscape(spelled: string): string {
  const letter = spelled[1] ?? '';
  if (letter !== 'u' && letter !== 'x') return NAMED[letter] ?? letter;
  const isWhole = spelled.length === (letter === 'u' ? 6 : 4);
  return isWhole ? String.fromCharCode(Number.parseInt(spelled.slice(2), 16)) : '';
}

function unquoted(reading: Reading): Reading | undefined {
  if (!reading.text.includes('%')) return undefined;
  return undone(reading, CODES, codes => Array.from(charactersOf(codes), ([means]) => means).join(''), charactersOf);
}

function joined(reading: Reading): Reading | undefined {
  return /[\r\n]/.test(reading.text)
    ? undone(
        reading,
        LINE_BREAK,
        () => '',
        text => [['', text.length]],
      )
    : undefined;
}

function spaced(reading: Reading): Reading | undefined {
  return reading.text.includes('+') ? { ...reading, text: reading.text.replaceAll('+', ' ') } : undefined;
}

/** The characters of `%c3%a4` and the like: UTF-8, and bytes by themselves where they are none. */
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
 * @param pieces the same in pieces, by which places are told.
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
