import type { OfferedTool } from './toolNames';

const MAX_QUESTION = 10_000;
const MAX_DESCRIPTION = 2000;
const WEIGHTS = { name: 3, title: 3, server: 2, description: 1 };

const COMMON = new Set(
  'a all an and any are as at be by can do does for from get give has have how i if in into is it its list make me my of on or our please set show tell that the their them there these this to tool tools use used using was what when which who will with would you your'.split(
    ' ',
  ),
);

export interface ChosenTools {
  /** In the order they came in. */
  readonly chosen: readonly OfferedTool[];
  readonly hidden: readonly OfferedTool[];
}

/**
 * The tools to offer for a question when there are more than `limit`. Those used before come first, then those that share
 * most words with the question, then the others as listed.
 * @param used names for the model, the latest first.
 */
export function chooseTools(
  offered: readonly OfferedTool[],
  question: string,
  limit: number,
  used: readonly string[] = [],
): ChosenTools {
  if (offered.length <= limit) return { chosen: offered, hidden: [] };
  const before = new Set(used.slice(0, limit));
  const ranked = score(offered, question)
    .map(({ tool, score }) => ({ tool, score: before.has(tool.name) ? Number.POSITIVE_INFINITY : score }))
    .sort((a, b) => (a.score === b.score ? 0 : b.score - a.score));
  const best = new Set(ranked.slice(0, limit).map(({ tool }) => tool));
  return { chosen: offered.filter(tool => best.has(tool)), hidden: offered.filter(tool => !best.has(tool)) };
}

/** The tools that share most words with a query, at most `limit`; without a query the first ones. */
export function searchTools(offered: readonly OfferedTool[], query: string, limit = 10): readonly OfferedTool[] {
  if (wordsOf(query).size === 0) return offered.slice(0, limit);
  return score(offered, query)
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

/** Rare words count more than those that many tools have. */
function score(offered: readonly OfferedTool[], question: string): { tool: OfferedTool; score: number }[] {
  const asked = wordsOf(question.slice(0, MAX_QUESTION));
  const terms = offered.map(tool => ({ tool, weights: weightsOf(tool) }));
  const rarity = new Map<string, number>();
  for (const word of asked) {
    const having = terms.filter(({ weights }) => weights.has(word)).length;
    if (having > 0) rarity.set(word, Math.log(1 + offered.length / having));
  }
  return terms.map(({ tool, weights }) => {
    let total = 0;
    for (const [word, rare] of rarity) total += (weights.get(word) ?? 0) * rare;
    return { tool, score: total };
  });
}

/** Each word of a tool with the weight of the best place it stands in. */
function weightsOf({ tool, serverName }: OfferedTool): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (value: unknown, weight: number) => {
    if (typeof value !== 'string') return;
    for (const word of wordsOf(value.slice(0, MAX_DESCRIPTION))) {
      weights.set(word, Math.max(weights.get(word) ?? 0, weight));
    }
  };
  add(tool.name, WEIGHTS.name);
  add(tool.title ?? tool.annotations?.title, WEIGHTS.title);
  add(serverName, WEIGHTS.server);
  add(tool.description, WEIGHTS.description);
  return weights;
}

/** Words of a text, `camelCase` and `snake_case` taken apart, without their endings; pairs of characters in scripts without spaces. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  const apart = text.slice(0, MAX_QUESTION).replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  for (const [word] of apart.toLowerCase().matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word)) {
      const characters = [...word];
      for (let i = 0; i < characters.length; i++) words.add(characters.slice(i, i + 2).join(''));
    } else if (!COMMON.has(word)) words.add(stem(word));
  }
  return words;
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(ing|ies|ed|es|s|e|y)$/, '') : word.replace(/(?<=..)s$/, '');
}
