import { normalized } from '../../../base/normalized';
import { firstNotBefore } from '../../../base/sorted';

/** The texts by which something is found. */
interface Searchable {
  readonly label: string;
  /** Other names, such as a URI: what is found in them ranks lower. */
  readonly others: readonly string[];
}

/** Longer texts are searched up to here. */
const MAX_LENGTH = 300;
const OTHER_PENALTY = 200;

/** With its texts folded. */
interface Entry<T> extends Searchable {
  readonly value: T;
  /** Which characters occur: most entries are ruled out by this alone. */
  readonly mask: number;
}

interface ScoredEntry<T> {
  readonly entry: Entry<T>;
  readonly score: number;
}

/**
 * Finds among many things the best matches of what is typed: words in any order, each whole or by some of its letters. MiniSearch
 * (18 KB; this is 2 KB) matches words by prefix or edit distance, not by scattered letters.
 */
export class SearchIndex<T> {
  #entries: Entry<T>[] = [];
  /** All matches of the last query: further typing only has to search these. */
  #last: { readonly query: string; readonly matches: readonly Entry<T>[] } | undefined;

  get size(): number {
    return this.#entries.length;
  }

  add(value: T, { label, others }: Searchable): void {
    const fields = others.map(fold);
    const folded = fold(label);
    const mask = fields.reduce((all, field) => all | maskOf(field), maskOf(folded));
    this.#entries.push({ value, label: folded, others: fields, mask });
    this.#last = undefined;
  }

  clear(): void {
    this.#entries = [];
    this.#last = undefined;
  }

  /** The best `limit` matches, the best first; of equal ones, and for an empty query, the first that were added. */
  search(query: string, limit: number): T[] {
    const folded = fold(query).trim();
    const words = folded.split(/\s+/).filter(word => word !== '');
    if (words.length === 0) return this.#entries.slice(0, limit).map(({ value }) => value);
    const last = this.#last;
    const narrowed = last && folded.startsWith(last.query) ? last.matches : this.#entries;
    const mask = words.reduce((all, word) => all | maskOf(word), 0);
    const matches: Entry<T>[] = [];
    const best: ScoredEntry<T>[] = [];
    for (const entry of narrowed) {
      if ((entry.mask & mask) !== mask) continue;
      const score = scoreEntry(entry, words);
      if (score <= 0) continue;
      matches.push(entry);
      insert(best, { entry, score }, limit);
    }
    this.#last = { query: folded, matches };
    return best.map(({ entry }) => entry.value);
  }
}

/** Zero when one of the words is nowhere. */
function scoreEntry({ label, others }: Searchable, words: readonly string[]): number {
  let total = 0;
  for (const word of words) {
    let score = scoreField(label, word);
    for (const other of others) score = Math.max(score, scoreField(other, word) - OTHER_PENALTY);
    if (score <= 0) return 0;
    total += score;
  }
  return total;
}

/** Keeps `best` sorted and bounded. */
function insert<T>(best: ScoredEntry<T>[], found: ScoredEntry<T>, limit: number): void {
  if (best.length === limit && found.score <= best[limit - 1]!.score) return;
  const place = firstNotBefore(best, ({ score }) => score >= found.score);
  best.splice(place, 0, found);
  if (best.length > limit) best.pop();
}

/** Without regard to case and accents. */
function fold(text: string): string {
  const bounded = (text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text).toLowerCase();
  // Normalising is slow, and most text is ASCII.
  return /[^ -~]/.test(bounded) ? normalized(bounded, 'NFD').replace(/\p{M}/gu, '') : bounded;
}

/** One bit for each letter; digits and others share what is left. A space has none. */
function bitOf(code: number): number {
  if (code === 32) return 0;
  return code >= 97 && code <= 122 ? 1 << (code - 97) : 1 << (26 + (code % 6));
}

/** Looked up, as there are millions of characters: twice as fast. */
const asciiBits = Int32Array.from({ length: 128 }, (_, code) => bitOf(code));

function maskOf(text: string): number {
  let mask = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    mask |= code < 128 ? asciiBits[code]! : bitOf(code);
  }
  return mask;
}

const WHOLE = 1_000;
const AT_START = 300;
const AT_WORD = 200;
const SCATTERED = 500;

/**
 * How well a word matches a text, both folded: above 700 when the text contains it, best at its start or at the start of
 * one of its words, and in a short text; below 500 when its letters occur in order, better the closer they are together.
 * Zero when they don't.
 */
export function scoreField(text: string, word: string): number {
  const index = bestIndexOf(text, word);
  if (index >= 0) {
    const place = index === 0 ? AT_START : isWordStart(text, index) ? AT_WORD : 0;
    return WHOLE + place - Math.min(text.length, 200) - Math.min(index, 50);
  }
  return word.length > 1 ? scatteredScore(text, word) : 0;
}

/** The first occurrence at the start of a word, else the first at all. */
function bestIndexOf(text: string, word: string): number {
  const first = text.indexOf(word);
  for (let index = first; index > 0; index = text.indexOf(word, index + 1)) {
    if (isWordStart(text, index)) return index;
  }
  return first;
}

/** The letters in order. Of several ways the one that ends first is taken, and from its end the shortest. */
function scatteredScore(text: string, word: string): number {
  let end = -1;
  for (let letter = 0; letter < word.length; letter++) {
    end = text.indexOf(word[letter]!, end + 1);
    if (end < 0) return 0;
  }
  let start = end;
  let wordStarts = 0;
  for (let letter = word.length - 1; letter >= 0; letter--) {
    start = text.lastIndexOf(word[letter]!, start);
    if (isWordStart(text, start)) wordStarts++;
    if (letter > 0) start--;
  }
  const gaps = end - start + 1 - word.length;
  return Math.max(1, SCATTERED - 60 + wordStarts * 20 - gaps * 12);
}

function isWordStart(text: string, index: number): boolean {
  return index === 0 || !isLetterOrDigit(text.charCodeAt(index - 1));
}

/** Whether a character is a letter or digit; all non-ASCII ones count as letters. */
function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127;
}
