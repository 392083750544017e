import { scoreField } from './score';

/** The texts by which something is found. */
export interface Searchable {
  readonly label: string;
  /** Other names, such as a URI: what is found in them ranks lower. */
  readonly others: readonly string[];
}

/** Longer texts are searched up to here. */
const MAX_LENGTH = 300;
const OTHER_PENALTY = 200;

interface Entry<T> {
  readonly value: T;
  readonly label: string;
  readonly others: readonly string[];
  /** Which characters occur: most entries are ruled out by this alone. */
  readonly mask: number;
}

interface Found<T> {
  readonly entry: Entry<T>;
  readonly score: number;
}

/** Finds among many things the best matches of what is typed: words in any order, each whole or by some of its letters. */
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
    const best: Found<T>[] = [];
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
function scoreEntry<T>({ label, others, mask: _ }: Entry<T>, words: readonly string[]): number {
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
function insert<T>(best: Found<T>[], found: Found<T>, limit: number): void {
  if (best.length === limit && found.score <= best[limit - 1]!.score) return;
  let low = 0;
  let high = best.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (best[middle]!.score >= found.score) low = middle + 1;
    else high = middle;
  }
  best.splice(low, 0, found);
  if (best.length > limit) best.pop();
}

/** Without regard to case and accents. */
function fold(text: string): string {
  const bounded = text.slice(0, MAX_LENGTH).toLowerCase();
  // Normalising is slow, and most text is ASCII.
  return /^[ -~]*$/.test(bounded) ? bounded : bounded.normalize('NFD').replace(/\p{M}/gu, '');
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
