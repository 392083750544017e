import { type MessageOf, messageReader, text } from '../../../base/messageReader';
import { exact } from '../../../base/text';

/** Part of a row: literal characters, or one of our marks that replaces or describes some. */
interface RowPart {
  readonly text: string;
  readonly isMark?: true;
}

/** One row of a text that is reviewed, no wider than its layout. */
export interface ReviewRow {
  /** Number of its line in the JSON, from 1. Absent: continues the line above. */
  readonly line?: number;
  readonly parts: readonly RowPart[];
}

/** What marks say, in the language of the person. */
export interface MarkWords {
  /** `120 spaces`. */
  spaces(count: number): string;
  /** `15,000 characters`: the length of the string that follows. */
  characters(count: number): string;
}

const ENGLISH: MarkWords = { spaces: count => `${count} spaces`, characters: count => `${count} characters` };

/** Prefix of a continuation row in text form. */
const CONTINUED = '↪ ';
/** Longer strings have their length before them. */
const LONG_STRING = 200;
/** A word is cut between rows only when it is longer. */
const LONG_WORD = 30;
/** Deeper structure is counted like any other gap. */
const MAX_INDENT = 40;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gs;
/** Tokens: gaps, repeated line breaks and tabs, other escapes, words, short spaces, stacked accents, the rest. */
const TOKEN =
  / {9,}|(?:\\n){4,}|(?:\\t){4,}|(?:\\r){4,}|\\u[\da-fA-F]{4}|\\[^u]|[!-[\]-~]+| {1,8}|\p{M}{4,}|[^ -~]|\\/gu;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/**
 * Lays out JSON text in rows of at most `columns`. Everything in it is there: what can't be seen stands as a mark, such as
 * `⟨U+202E⟩`, long gaps are counted, rows end after each line break in a string. The brackets of marks are themselves marked
 * where they are text, so that nothing passes for a mark: the very JSON can be read from it.
 */
export function layOut(json: string, columns = 100, words: MarkWords = ENGLISH): ReviewRow[] {
  return json.split('\n').flatMap((line, index) => rowsOf(line, index + 1, columns, words));
}

/** Wraps a text whose hidden characters are already visible (`exact`), between words where it can. */
export function wrap(text: string, columns = 100): ReviewRow[] {
  return text.split('\n').flatMap((line, index) => {
    const pieces: string[] = [];
    let [piece, width] = ['', 0];
    const endPiece = () => {
      pieces.push(piece);
      [piece, width] = ['', 0];
    };
    for (const word of line.match(/\s+|\S+/g) ?? []) {
      const size = widthOf(word);
      if (size <= columns && width + size > columns) endPiece();
      for (const character of word) {
        const size = widthOf(character);
        if (width + size > columns) endPiece();
        piece += character;
        width += size;
      }
    }
    return [...pieces, piece].map(
      (text, at): ReviewRow => ({ ...(at === 0 && { line: index + 1 }), parts: [{ text }] }),
    );
  });
}

/** In columns. */
const widthOf = (text: string) => Array.from(text).reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);

/** Rows as text, for places that wrap text or have room for them. */
export function rowsText(rows: readonly ReviewRow[]): string {
  return rows
    .map(({ line, parts }) => (line === undefined ? CONTINUED : '') + parts.map(({ text }) => text).join(''))
    .join('\n');
}

function rowsOf(line: string, number: number, columns: number, words: MarkWords): ReviewRow[] {
  const rows: ReviewRow[] = [];
  let parts: RowPart[] = [];
  let width = 0;
  let isFirst = true;
  const endRow = () => {
    rows.push(isFirst ? { line: number, parts } : { parts });
    [parts, width, isFirst] = [[], 0, false];
  };
  const put = (text: string, size: number, isMark: boolean) => {
    const last = parts.at(-1);
    if (isMark || !last || last.isMark) parts.push(isMark ? { text, isMark } : { text });
    else parts[parts.length - 1] = { text: last.text + text };
    width += size;
  };
  const putWhole = (text: string, size: number, isMark = false) => {
    if (width > 0 && width + size > columns) endRow();
    put(text, size, isMark);
  };
  const mark = (label: string) => putWhole(`⟨${label}⟩`, label.length + 2, true);
  const tokens = (text: string) => {
    for (const [token] of text.matchAll(TOKEN)) {
      const first = token[0]!;
      if (token.startsWith(' ') && token.length > 8) mark(words.spaces(token.length));
      else if (first === '\\' && token.length > 6) mark(`${token.length / 2} × ${token.slice(0, 2)}`);
      else if (first >= ' ' && first <= '~') {
        // A word that does not fit moves to the next row first.
        if (token.length <= LONG_WORD) putWhole(token, token.length);
        else for (const piece of cut(token, columns, width)) putWhole(piece, piece.length);
      } else if (token.length > 2) for (const character of token) mark(codePoint(character));
      else {
        const shown = token === '⟨' || token === '⟩' || exact(token) !== token ? codePoint(token) : undefined;
        if (shown) mark(shown);
        else putWhole(token, WIDE.test(token) ? 2 : 1);
      }
      // All characters that the recipient may treat as a line break end a row.
      if (token.endsWith('\\n') && first === '\\') endRow();
    }
  };

  const indent = /^ */.exec(line)![0];
  let at = indent.length <= MAX_INDENT ? indent.length : 0;
  if (at > 0) put(indent, at, false);
  for (const { 0: string, index } of line.matchAll(STRING)) {
    if (string.length - 2 <= LONG_STRING) continue;
    tokens(line.slice(at, index));
    at = index;
    mark(words.characters((JSON.parse(string) as string).length));
  }
  tokens(line.slice(at));
  if (parts.length > 0 || isFirst) endRow();
  return rows;
}

/** Splits a long word: the part that fits into the row of `width`, then whole rows. */
function cut(word: string, columns: number, width: number): string[] {
  const room = columns - width;
  const first = room > 0 ? word.slice(0, room) : '';
  const pieces = first ? [first] : [];
  for (let at = first.length; at < word.length; at += columns) pieces.push(word.slice(at, at + columns));
  return pieces;
}

const codePoint = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** The buttons of a page by their titles, which are the answers. */
export interface ReviewButtons {
  /** Those that permit something: the whole text has to be on the page first. */
  readonly allow: readonly string[];
  readonly others: readonly string[];
}

export type ToReviewPage =
  | ({
      readonly type: 'start';
      readonly question: string;
      readonly notes: readonly string[];
      /** Why buttons that allow can't be pressed before the end was on the screen. */
      readonly hint: string;
    } & ReviewButtons)
  | {
      readonly type: 'rows';
      readonly rows: readonly ReviewRow[];
      /** The line below the rows: a button that shows more, or the end. */
      readonly more?: string;
      readonly end?: string;
    };

export const fromReviewPage = messageReader({ ready: {}, more: {}, answer: { answer: text } });
export type FromReviewPage = MessageOf<typeof fromReviewPage>;
