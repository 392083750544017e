/** What one turn sent to the model, in tokens, over all of its requests. */
export interface TurnCost {
  calls: number;
  requests: number;
  /** Definitions of tools. */
  definitions: number;
  /** What the model is told of itself, earlier turns, and the question. */
  history: number;
  /** The model's own calls in this turn, and their results. */
  results: number;
}

export const noCost = (): TurnCost => ({ calls: 0, requests: 0, definitions: 0, history: 0, results: 0 });

export const totalTokens = ({ definitions, history, results }: TurnCost): number => definitions + history + results;
