import { mediaTypeOf } from './mediaType';
import { someText } from './modelData';
import { sizePhrase } from './numberText';
import { english } from './phrase';

// Bytes that a text has as base64. Every text that goes to a model passes here: base64 costs it a token for two characters, and it
// can read none of it.

/** Bytes that a text had as base64. */
export interface FoundBytes {
  readonly bytes: Uint8Array;
  /** Their MIME type: as they begin, as the text declares it, or the general one. */
  readonly type: string;
  /** What they are, in words: `image/png, 1280 × 720, 293 KB`. */
  readonly what: string;
}

/** Characters of base64 from which on it is replaced, if it is a file of a usual type, or a `data:` URI. */
const MIN_FILE = 256;
/** Characters of base64 from which on any bytes are replaced. Less may be a key, token or cursor, which a model sends back. */
const MIN_BYTES = 4_096;

/** A stretch of base64 this long makes it worth looking closer. Lines of wrapped base64 are longer: 60 to 76 characters. */
const STRETCH = 48;

/** The two alphabets (RFC 4648, sections 4 and 5). A text in one of them never has the special characters of the other. */
const ALPHABETS = [alphabet('+/'), alphabet('-_')];

interface Alphabet {
  /** For each character code, whether it is one of the 64. */
  readonly has: Uint8Array;
  /** For each character code, whether it may occur in base64 that is padded, wrapped or escaped in JSON. */
  readonly mayBeIn: Uint8Array;
}

function alphabet(special: string): Alphabet {
  const has = new Uint8Array(128);
  for (const one of `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${special}`)
    has[one.charCodeAt(0)] = 1;
  const mayBeIn = Uint8Array.from(has);
  for (const other of '\\\r\n=') mayBeIn[other.charCodeAt(0)] = 1;
  return { has, mayBeIn };
}

/** A line break or an escape of JSON, or of JSON within JSON: some write "/", "+" and "=" so. */
const ESCAPE = /\r?\n|\\+(?:\/|u00(?:2b|2f|3d)|(?:r\\+)?n)?/iy;

/**
 * The text with a note in place of all bytes that it has as base64, in `data:` URIs or wrapped into lines, also within JSON. Hashes,
 * keys, tokens and other short base64 stay. The time is linear in the length of the text.
 * @param note what stands in their place.
 */
export function withoutBytes(text: string, note: (found: FoundBytes) => string = ({ what }) => `[${what}]`): string {
  return ALPHABETS.reduce((rest, one) => replaceIn(rest, one, note), text);
}

/** JSON without files in base64, in strings and names of members. Returns the object itself if there is nothing to replace. */
export function dataWithoutBytes<T>(data: T, note?: (found: FoundBytes) => string): T {
  // Most data has none, and may be large: it is only scanned.
  if (!someText(data, mayHaveBytes)) return data;
  const json = JSON.stringify(data);
  const replaced = withoutBytes(json, note);
  return replaced === json ? data : (JSON.parse(replaced) as T);
}

const mayHaveBytes = (text: string): boolean =>
  text.length >= MIN_FILE && ALPHABETS.some(({ has }) => stretchFrom(text, 0, has) >= 0);

function replaceIn(text: string, one: Alphabet, note: (found: FoundBytes) => string): string {
  const kept: string[] = [];
  let done = 0;
  for (let at = 0; ; ) {
    const stretch = stretchFrom(text, at, one.has);
    if (stretch < 0) break;
    let start = stretch;
    while (start > at && isIn(one.mayBeIn, text, start - 1)) start--;
    let end = stretch + STRETCH;
    while (end < text.length && isIn(one.mayBeIn, text, end)) end++;
    for (const block of blocksIn(text.slice(start, end), one)) {
      const [from, to] = [start + block.start, start + block.end];
      const declared = /data:([\w.+/-]*)[\w.+/;=-]{0,80};base64,$/.exec(text.slice(Math.max(done, from - 200), from));
      const found = foundIn(block, { declared: declared?.[1], before: text.slice(Math.max(0, from - 100), from) });
      if (!found || isInToken(text, from, to)) continue;
      kept.push(text.slice(done, from - (declared?.[0].length ?? 0)), note(found));
      done = to;
    }
    at = end;
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(done);
}

const isIn = (set: Uint8Array, text: string, at: number): boolean => set[text.charCodeAt(at)] === 1;

/** Where a stretch of base64 begins, at `at` or later; -1 if none does. Looks at few characters of ordinary text. */
function stretchFrom(text: string, at: number, has: Uint8Array): number {
  for (let from = at; from + STRETCH <= text.length; ) {
    let last = from + STRETCH - 1;
    while (last >= from && isIn(has, text, last)) last--;
    if (last < from) return from;
    from = last + 1;
  }
  return -1;
}

/** Base64 on one line, or wrapped into lines of one length. */
interface Block {
  readonly start: number;
  readonly end: number;
  /** Without line breaks and escapes. */
  readonly base64: string;
  readonly isWrapped: boolean;
}

interface Line {
  readonly start: number;
  end: number;
  base64: string;
}

function blocksIn(region: string, { has }: Alphabet): readonly Block[] {
  const blocks: Block[] = [];
  if (region.length < MIN_FILE) return blocks;
  let lines: Line[] = [];
  let line: Line | undefined;
  const close = () => {
    const [first, last] = [lines[0], lines.at(-1)];
    if (first && last) {
      const base64 = lines.map(one => one.base64).join('');
      blocks.push({ start: first.start, end: last.end, base64, isWrapped: lines.length > 1 });
    }
    lines = [];
  };
  const endLine = () => {
    if (line && !goesOn(lines, line.base64)) close();
    if (line && (lines.length > 0 || line.base64.length >= STRETCH)) lines.push(line);
    line = undefined;
  };
  let isPadded = false;
  let isNewLine = false;
  for (let at = 0; at < region.length; ) {
    const start = at;
    while (isIn(has, region, at)) at++;
    if (at === start) {
      ESCAPE.lastIndex = at;
      at += ESCAPE.exec(region)?.[0].length ?? 1;
    }
    const said = region.slice(start, at);
    const [added, isBreak] = isIn(has, region, start) ? [said, false] : meaningOf(said);
    if (added === '' || (isPadded && added !== '=')) {
      endLine();
      if (!isBreak || isNewLine) close();
    }
    isPadded = added === '=';
    isNewLine = isBreak;
    if (added === '') continue;
    line ??= { start, end: start, base64: '' };
    line.base64 += added;
    line.end = at;
  }
  endLine();
  close();
  return blocks;
}

/** The character of base64 that an escape stands for, or whether it is a line break. */
function meaningOf(escaped: string): [base64: string, isBreak: boolean] {
  if (/^(?:\r?\n|\\.*n)$/.test(escaped)) return ['', true];
  if (/2b$/i.test(escaped)) return ['+', false];
  if (/(?:2f|\/)$/i.test(escaped)) return ['/', false];
  return [/^=$|3d$/i.test(escaped) ? '=' : '', false];
}

/** Whether a line is the next of wrapped base64: as long as those before, or the last, which may be shorter. */
function goesOn(lines: readonly Line[], next: string): boolean {
  const [first, last] = [lines[0]?.base64, lines.at(-1)?.base64];
  if (first === undefined || last?.length !== first.length || last.endsWith('=')) return false;
  return next.length === first.length || (next.length < first.length && next.length % 4 === 0);
}

/** The bytes of a block; undefined where it is, or may be, something else than bytes. */
function foundIn(
  { base64, isWrapped }: Block,
  { declared, before }: { readonly declared: string | undefined; readonly before: string },
): FoundBytes | undefined {
  if (base64.length < MIN_FILE) return undefined;
  const known = mediaTypeOf(Buffer.from(base64.slice(0, 512), 'base64'));
  if (declared === undefined && !known) {
    if (base64.length < MIN_BYTES || !isVaried(base64)) return undefined;
    // Lines of one length may also be a list of ids.
    if (isWrapped && !/base64|-----BEGIN [A-Z ]+-----/i.test(before)) return undefined;
  }
  const bytes = Buffer.from(base64, 'base64');
  const { type: seen, width, height } = mediaTypeOf(bytes) ?? {};
  const type = seen ?? (declared || (isText(bytes) ? 'text/plain' : 'application/octet-stream'));
  const size = width === undefined ? [] : [`${width} × ${height}`];
  return { bytes, type, what: [type, ...size, english(sizePhrase(bytes.length))].join(', ') };
}

/** Whether it has upper case, lower case and digits, as encoded bytes have: no hexadecimal, no sequence of genes, no line of dashes. */
const isVaried = (base64: string): boolean => [/[A-Z]/, /[G-Zg-z]/, /[a-z]/, /[0-9]/].every(kind => kind.test(base64));

/** Whether it is a part of a token in several parts, such as a JWT. */
const isInToken = (text: string, start: number, end: number): boolean =>
  /[\w-]\.$/.test(text.slice(Math.max(0, start - 2), start)) || /^\.[\w-]/.test(text.slice(end, end + 2));

/** Control characters that texts have: tabulators, ends of lines and pages, escapes for colours. */
const IN_TEXTS = [9, 10, 12, 13, 27];

/** Whether bytes are text in UTF-8, judged by their beginning. */
export function isText(bytes: Uint8Array): boolean {
  const beginning = bytes.subarray(0, 4_096);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true });
    return beginning.every(byte => byte >= 32 || IN_TEXTS.includes(byte));
  } catch {
    return false;
  }
}

/** Base64 without its white space. Undefined for any other text: `Buffer.from` would skip what is none, and make other bytes. */
export function base64In(text: string): string | undefined {
  const base64 = text.replace(/\s+/g, '');
  const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(base64) && base64.replace(/(?<!=)=+$/, '').length % 4 !== 1;
  return isBase64 ? base64 : undefined;
}
