import type { Tool } from '@modelcontextprotocol/client';

/** Compared in pairs, which are many. */
const MAX_PAIRED = 300;
const MAX_TEXT = 5_000;
/** The share of common pairs of words that makes two descriptions alike. */
const ALIKE = 0.8;
/** Of fewer words most are in both. */
const FEW = 4;
/** Three words in a row that at least so many tools, and this share of them, have in common are a way of writing of this server. */
const SHARED_BY = 3;
const SHARED_PART = 0.1;

interface KnownName {
  readonly name: string;
  readonly folded: string;
  /** What a call has to have. A call to the wrong one of two that differ in that fails, and the model sees its mistake. */
  readonly required: string;
  readonly parts: ReadonlySet<string>;
  /** All of its description, for those that say nothing of their own. */
  readonly text: string;
  readonly words: readonly string[];
  /** What it says beyond what many tools of the server say. */
  readonly own: ReadonlySet<string>;
  readonly pairs: ReadonlySet<string>;
}

interface AlikePair {
  readonly one: string;
  readonly other: string;
  readonly by: 'name' | 'description';
}

/** Tools that a model mixes up: by name, or by what their descriptions say beyond a text that many of the server's tools share. */
export function alikePairs(tools: readonly Tool[]): AlikePair[] {
  const known = knownOf(tools.slice(0, MAX_PAIRED));
  return known.flatMap((one, index) =>
    known.slice(index + 1).flatMap((other): AlikePair[] => {
      const names = { one: one.name, other: other.name };
      if (one.folded === other.folded) return one.required === other.required ? [{ ...names, by: 'name' }] : [];
      return areAlike(one, other) ? [{ ...names, by: 'description' }] : [];
    }),
  );
}

function knownOf(tools: readonly Tool[]): KnownName[] {
  const all = tools.map(({ name, description = '', inputSchema }) => ({
    name,
    words: wordsOf(description),
    required: requiredBy(inputSchema),
  }));
  const counts = new Map<string, number>();
  for (const { words } of all)
    for (const three of new Set(inRow(words, 3))) counts.set(three, (counts.get(three) ?? 0) + 1);
  const many = Math.max(SHARED_BY, all.length * SHARED_PART);
  return all.map(({ name, words, required }) => {
    const isShared = inRow(words, 3).map(three => (counts.get(three) ?? 0) >= many);
    const own = words.filter((_, at) => ![at, at - 1, at - 2].some(start => isShared[start]));
    return {
      name,
      required,
      folded: name.toLowerCase().replace(/[_.-]/g, '').replace(/s$/, ''),
      parts: new Set(wordsOf(name.replace(/(?<=[a-z])(?=[A-Z])|_/g, ' '))),
      text: words.join(' '),
      words,
      own: new Set(own),
      pairs: new Set(inRow(own, 2)),
    };
  });
}

function areAlike(one: KnownName, other: KnownName): boolean {
  if (one.words.length >= FEW && one.text === other.text) return true;
  if (one.own.size < FEW || other.own.size < FEW) return false;
  const both = [...one.pairs].filter(pair => other.pairs.has(pair)).length;
  if (both / (one.pairs.size + other.pairs.size - both) < ALIKE) return false;
  return !tellsApart(one, other) && !tellsApart(other, one);
}

/** Whether a word that only this description has is also in its name alone: that is what the tools differ by. */
const tellsApart = (one: KnownName, other: KnownName) =>
  [...one.own].some(word => !other.own.has(word) && one.parts.has(word) && !other.parts.has(word));

const requiredBy = ({ required }: Tool['inputSchema']) => JSON.stringify([...(required ?? [])].sort());

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .slice(0, MAX_TEXT)
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const inRow = (words: readonly string[], count: number): string[] =>
  words.slice(count - 1).map((_, at) => words.slice(at, at + count).join(' '));
