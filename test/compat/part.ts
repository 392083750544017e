/** What came of a part of `npm run compat`. */
export interface Outcome {
  /** For the end of the run. */
  lines: string[];
  passed: number;
  failed: number;
}

/** Why a part cannot run on this machine, with what would help. */
export class CannotRunHere extends Error {}

/** @param args what stands after the part's name; `signal` ends it early. */
export type Part = (args: string[], signal: AbortSignal) => Promise<Outcome>;

/** Those of these words in their names, or all. */
export function namedBy<T extends { readonly name: string }>(args: readonly string[], all: readonly T[]): readonly T[] {
  const words = args.filter(arg => arg !== '--record').map(arg => arg.toLowerCase());
  return words.length === 0 ? all : all.filter(({ name }) => words.some(word => name.toLowerCase().includes(word)));
}
