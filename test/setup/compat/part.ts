/** What came of a part of `npm run compat`. */
export interface Outcome {
  /** For the end of the run. */
  lines: string[];
  failed: number;
}

/** @param args what stands after the part's name; `signal` ends it early. */
export type Part = (args: string[], signal: AbortSignal) => Promise<Outcome>;
