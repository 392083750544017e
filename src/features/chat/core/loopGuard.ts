import { NOT_CALLED } from '../../languageModel';

/** The same call is made this often in one turn: a state may be asked for again. */
const MAX_SAME = 3;

/** Detects that a model repeats the same call in one turn: the model gets one warning, then the turn ends. */
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
