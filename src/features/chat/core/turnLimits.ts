import { NOT_CALLED } from '../../languageModel/core';

/** Tokens that one turn sent to the model, over all of its requests. */
export interface TurnCost {
  calls: number;
  /** How long servers took for them, in milliseconds. */
  ms: number;
  requests: number;
  definitions: number;
  /** Tokens of the system text, earlier turns and the question. */
  history: number;
  /** The model's own calls in this turn, and their results. */
  results: number;
}

export const noCost = (): TurnCost => ({ calls: 0, ms: 0, requests: 0, definitions: 0, history: 0, results: 0 });

export const totalTokens = ({ definitions, history, results }: TurnCost): number => definitions + history + results;

/** The person is warned when this share of the token limit is used. */
const WARN_SHARE = 0.8;

/** How much one question may send to the model. */
export class TokenBudget {
  #isWarned = false;

  constructor(readonly max: number) {}

  /** Whether to stop before this total, or to warn the person, once. */
  at(tokens: number): 'go on' | 'warn' | 'stop' {
    if (tokens > this.max) return 'stop';
    if (tokens <= this.max * WARN_SHARE || this.#isWarned) return 'go on';
    this.#isWarned = true;
    return 'warn';
  }
}

/** How often the same call is made in one turn: polling a state is legitimate. */
const MAX_SAME = 3;

/** Detects a model that repeats one call: it gets one warning, then the turn ends. */
export class LoopGuard {
  readonly #made = new Map<string, number>();

  /** @returns the text for the model instead of a result, and whether the turn ends. */
  repeated(name: string, args: object): { readonly told: string; readonly ends: boolean } | undefined {
    const key = JSON.stringify([name, args]);
    const count = (this.#made.get(key) ?? 0) + 1;
    this.#made.set(key, count);
    if (count <= MAX_SAME) return undefined;
    const told = `${NOT_CALLED} you have made exactly this call ${MAX_SAME} times. Use its results, try something else, or tell the user what is missing. The next one ends this turn.`;
    return { told, ends: count > MAX_SAME + 1 };
  }
}
