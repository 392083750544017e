import type { ModelPreferences } from '@modelcontextprotocol/client';

/** A model as the choice sees it: all of it words. */
interface ModelWords {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly vendor: string;
}

export interface RankedModel<M extends ModelWords> {
  readonly model: M;
  readonly score: number;
  /** The hint that the model matches. */
  readonly hint?: string;
}

/** Words that stand for the same maker's models. */
const FAMILIES: Record<string, RegExp> = {
  claude: /claude|anthropic|opus|sonnet|haiku/,
  gpt: /gpt|openai|codex|\bo[1345]\b/,
  gemini: /gemini|gemma|google/,
  llama: /llama|\bmeta\b/,
  mistral: /mistral|mixtral|codestral|devstral/,
  qwen: /qwen/,
  deepseek: /deepseek/,
  grok: /grok|\bxai\b/,
};

type Size = 'small' | 'medium' | 'large';

/** In this order: "gemini 2.5 flash lite" is small. */
const SIZES: [Size, RegExp][] = [
  ['small', /(?<!ge)mini\b|nano|small|tiny|lite|flash|haiku|fast|\b[1-9]b\b/],
  ['large', /opus|large|ultra|\bpro\b|\bmax\b|\bbig\b|\b\d{3,}b\b/],
  ['medium', /sonnet|medium|\b\d\db\b/],
];

/** How cheap, quick and clever models of a size are beside others; those of unknown size are in the middle. */
const WORTH: Record<Size | 'unknown', { cost: number; speed: number; intelligence: number }> = {
  small: { cost: 0.9, speed: 0.9, intelligence: 0.3 },
  medium: { cost: 0.6, speed: 0.6, intelligence: 0.7 },
  large: { cost: 0.2, speed: 0.3, intelligence: 1 },
  unknown: { cost: 0.5, speed: 0.5, intelligence: 0.5 },
};

/** Each is compared with each model. */
const MAX_HINTS = 50;
const MAX_HINT = 200;

/**
 * Models in the order in which a server would like them (spec: client/sampling#model-preferences), best first; equal ones
 * stay in the order they came in.
 *
 * The score is `10 × hints + priorities`. Of `n` hints the first that the model matches, number `i` from 0, gives
 * `n − i − 1 + match`: 1 when the hint is a substring of the model's id, name, family or vendor that begins with a word or
 * number, ignoring case and what is no letter or digit; 0.8 when both are of one mapped family (`claude`, `gpt`,
 * `gemini`, …) and size; 0.6 for the family alone; 0.4 when the hint names no family and the sizes are equal. So an earlier
 * hint outweighs every later one, and any hint the priorities. Those are the mean of what models of that size are worth,
 * 0 to 1, weighted with the server's `costPriority`, `speedPriority` and `intelligencePriority`; 0.5 without any.
 */
export function rankModels<M extends ModelWords>(
  models: readonly M[],
  preferences: ModelPreferences | undefined,
): RankedModel<M>[] {
  const named = (preferences?.hints ?? []).slice(0, MAX_HINTS);
  const hints = named.flatMap(({ name }) => (name?.trim() ? [name.trim().slice(0, MAX_HINT)] : []));
  const ranked = models.map((model): RankedModel<M> => {
    const words = [model.id, model.name, model.family, model.vendor].join(' ').toLowerCase();
    const index = hints.findIndex(hint => matchOf(hint, words) > 0);
    const hint = hints[index];
    const hinted = hint === undefined ? 0 : hints.length - index - 1 + matchOf(hint, words);
    const score = 10 * hinted + prioritiesOf(words, preferences);
    return { model, score, ...(hint !== undefined && { hint }) };
  });
  return ranked.sort((a, b) => b.score - a.score);
}

function matchOf(hint: string, words: string): number {
  const wanted = hint.toLowerCase();
  if (isPartOf(wanted, words)) return 1;
  const [family, size] = [familyOf(wanted), sizeOf(wanted)];
  const isSize = size !== 'unknown' && size === sizeOf(words);
  if (family !== undefined) return family === familyOf(words) ? (isSize ? 0.8 : 0.6) : 0;
  return isSize ? 0.4 : 0;
}

function prioritiesOf(words: string, preferences: ModelPreferences | undefined): number {
  const worth = WORTH[sizeOf(words)];
  const weights = {
    cost: preferences?.costPriority ?? 0,
    speed: preferences?.speedPriority ?? 0,
    intelligence: preferences?.intelligencePriority ?? 0,
  };
  const sum = weights.cost + weights.speed + weights.intelligence;
  if (!(sum > 0)) return 0.5;
  return (weights.cost * worth.cost + weights.speed * worth.speed + weights.intelligence * worth.intelligence) / sum;
}

/** At the beginning of a word or a number, so that "mini" is no part of "gemini". */
function isPartOf(wanted: string, words: string): boolean {
  const pieces = piecesOf(words);
  const hint = piecesOf(wanted).join('');
  return hint !== '' && pieces.some((_, at) => pieces.slice(at).join('').startsWith(hint));
}

const piecesOf = (text: string): string[] => text.match(/\p{L}+|\p{N}+/gu) ?? [];
const familyOf = (words: string) => Object.keys(FAMILIES).find(family => FAMILIES[family]!.test(words));
const sizeOf = (words: string): Size | 'unknown' => SIZES.find(([, pattern]) => pattern.test(words))?.[0] ?? 'unknown';
