/** Tokens that one turn sent to the model, over all of its requests. */
export interface TurnCost {
  calls: number;
  requests: number;
  /** Definitions of tools. */
  definitions: number;
  /** Tokens of the system text, earlier turns and the question. */
  history: number;
  /** The model's own calls in this turn, and their results. */
  results: number;
}

export const noCost = (): TurnCost => ({ calls: 0, requests: 0, definitions: 0, history: 0, results: 0 });

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
