import { type CountTokens, estimateTokens, TokenCounter } from './tokens';

/** A language model, as far as it counts. */
export interface CountingModel {
  readonly id: string;
  readonly countTokens: CountTokens;
}

/** How many definitions are counted at once: each is a request to another process. */
const AT_ONCE = 8;

/**
 * How many tokens definitions of tools take, as a model counts them; an estimate until it has. Each definition is counted once
 * for each model, for as long as the object lives.
 */
export class DefinitionMeter {
  readonly #estimates = new WeakMap<object, number>();
  readonly #counts = new WeakMap<object, Map<string, number>>();

  /** @param model its `id`; without one, or before `count`, the tokens are estimated. */
  tokens(definition: object, model?: string): number {
    const counted = model === undefined ? undefined : this.#counts.get(definition)?.get(model);
    if (counted !== undefined) return counted;
    let estimate = this.#estimates.get(definition);
    if (estimate === undefined) {
      estimate = estimateTokens(JSON.stringify(definition));
      this.#estimates.set(definition, estimate);
    }
    return estimate;
  }

  isCounted(definition: object, model: string): boolean {
    return this.#counts.get(definition)?.has(model) === true;
  }

  /** Counts what this model has not counted yet. Never rejects: what can't be counted stays an estimate. */
  async count(definitions: readonly object[], { id, countTokens }: CountingModel): Promise<void> {
    const left = definitions.filter(definition => !this.isCounted(definition, id));
    const counter = new TokenCounter(countTokens);
    const work = async () => {
      for (let next = left.pop(); next; next = left.pop()) {
        const tokens = await counter.countText(JSON.stringify(next));
        const counts = this.#counts.get(next) ?? new Map<string, number>();
        this.#counts.set(next, counts.set(id, tokens));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}
