import { isUtf8 } from 'node:buffer';

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
/** References of HTML and XML, numbered and named. */
const ENTITY = /&(?:#(?:\d{1,7}|[xX][\dA-Fa-f]{1,6})|amp|lt|gt|quot|apos);|&#?\w{0,7}(?=…)/g;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Bytes as base64 or hex, as hex pairs with something between them, and as the decimal list of a Buffer's JSON. */
const ENCODED = new RegExp(
  [
    /(?<![\w+/-])[\w+/-]{16,}={0,2}/,
    /(?<![\w.])[\dA-Fa-f]{2}(?:[ :-][\dA-Fa-f]{2}){4,}(?![\w.])/,
    /(?<![\w.])\d{1,3}(?:,\s{0,40}\d{1,3}){4,}(?![\w.])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
/** How much of something encoded tells whether it is text. */
const TASTE = 64;
const MAY_BE_SPELLED = /[\\%+\r\n&]|[\w+/-]{16}|[\dA-Fa-f]{2}[ :-][\dA-Fa-f]{2}|\d,\s{0,40}\d/;

/**
 * The readings of a text, beginning with the text itself: with JSON escapes, URL encoding, entities, encoded bytes and line breaks
 * within base64 undone, also when nested. Linear in the text. Each is made when it is asked for.
 * @param plus whether "+" may also stand for a space.
 */
export function* readings(text: string, plus: boolean): Generator<Reading> {
  const all: (Reading & { layers: number })[] = [{ text, layers: 0 }];
  yield { text };
  if (!MAY_BE_SPELLED.test(text)) return;
  const seen = new Set([text]);
  for (const reading of all) {
    if (reading.layers === MAX_LAYERS) continue;
    for (const undo of [unescaped, unquoted, joined, named, decoded, ...(plus ? [spaced] : [])]) {
      const next = all.length < MAX_READINGS ? undo(reading) : undefined;
      if (!next || seen.has(next.text)) continue;
      seen.add(next.text);
      all.push({ ...next, layers: reading.layers + 1 });
      yield next;
    }
  }
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

const named = (reading: Reading) => undone(reading, ENTITY, ofEntity, spelled => [[ofEntity(spelled), spelled.length]]);

function ofEntity(spelled: string): string {
  if (!spelled.endsWith(';')) return '';
  const name = spelled.slice(1, -1);
  if (!name.startsWith('#')) return ENTITIES[name] ?? '';
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const decoded = (reading: Reading) =>
  undone(reading, ENCODED, match => Array.from(bytesOf(match), ([means]) => means).join(''), bytesOf);

/** What bytes stand for, if that is text. Else the match itself. */
function* bytesOf(match: string): Generator<Piece> {
  const separator = /[ :,]|^..-..-/.exec(match)?.[0];
  if (separator !== undefined) {
    const numbers = [...match.matchAll(/\w+\W*/g)].map(([one]) => one);
    const radix = separator === ',' ? 10 : 16;
    const codes = numbers.map(one => Number.parseInt(one, radix));
    const bytes = codes.every(code => code < 256) ? Buffer.from(codes) : undefined;
    if (bytes && isUtf8Text(bytes)) yield* charactersIn(bytes, index => numbers[index]!.length);
    else yield* unchanged(match);
    return;
  }
  if (match.length % 2 === 0 && /^[\dA-Fa-f]+$/.test(match)) {
    const bytes = mayBeText(Buffer.from(match.slice(0, TASTE), 'hex')) ? Buffer.from(match, 'hex') : undefined;
    if (bytes && isUtf8Text(bytes)) yield* charactersIn(bytes, () => 2);
    else yield* unchanged(match);
    return;
  }
  if (!isText(Buffer.from(match.slice(0, TASTE), 'base64'))) return void (yield* unchanged(match));
  const bytes = Buffer.from(match, 'base64');
  if (!isText(bytes)) return void (yield* unchanged(match));
  for (let at = 0, byte = 0; at < match.length; at += 4, byte += 3)
    yield [bytes.toString('latin1', byte, byte + 3), Math.min(4, match.length - at)];
}

/** How many bytes the UTF-8 of a character has. @param first of them, and not a later one */
function utf8Length(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** The characters of UTF-8. @param lengthOf how long the encoded form of a byte is */
function* charactersIn(bytes: Buffer, lengthOf: (index: number) => number): Generator<Piece> {
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at]!;
    const end = at + utf8Length(first);
    let length = 0;
    for (let byte = at; byte < end; byte++) length += lengthOf(byte);
    yield [bytes.toString('utf8', at, end), length];
    at = end;
  }
}

const mayBeText = (bytes: Buffer) => bytes.every(code => code >= 0x80 || isTextCode(code));
const isUtf8Text = (bytes: Buffer) => mayBeText(bytes) && isUtf8(bytes);
const isTextCode = (code: number) => (code >= 0x20 && code < 0x7f) || code === 10 || code === 13 || code === 9;
const isText = (bytes: Buffer) => bytes.length > 0 && bytes.every(isTextCode);

function* unchanged(text: string): Generator<Piece> {
  for (const unit of text.split('')) yield [unit, 1];
}

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
    const length = first < 0xc0 ? 1 : utf8Length(first);
    const bytes = Array.from({ length: Math.min(length, count - at) }, (_, n) => byteAt(at + n));
    const isCharacter = bytes.length === length && bytes.slice(1).every(byte => byte >> 6 === 2);
    const code = bytes.slice(1).reduce((sum, byte) => (sum << 6) | (byte & 63), first & (0xff >> (length + 1)));
    const isOne = length === 1 || !isCharacter || code > 0x10ffff;
    yield isOne ? [String.fromCharCode(first), 3] : [String.fromCodePoint(code), length * 3];
    at += isOne ? 1 : length;
  }
}

/** @param means what a match stands for. @param pieces the same in pieces, from which places are computed. */
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
