import { isObject } from '../../base/json';
import type { KeptScope } from './definition';
import type { ScopedStore } from './ports';

/** Values that are kept in one store by a key, in the order in which they were set. */
export class KeptRecords<T> {
  /**
   * @param parse reads a value as some version of this extension has stored it; what it returns undefined for counts as absent.
   * @param most of one scope: those that were set first are forgotten.
   */
  constructor(
    private readonly store: ScopedStore,
    private readonly parse: (stored: unknown) => T | undefined,
    private readonly most = Number.POSITIVE_INFINITY,
  ) {}

  get(scope: KeptScope, key: string): T | undefined {
    const stored = this.#stored(scope);
    return Object.hasOwn(stored, key) ? this.parse(stored[key]) : undefined;
  }

  /** Rejects when it is not kept. @param value undefined forgets. */
  async set(scope: KeptScope, key: string, value: T | undefined): Promise<void> {
    const others = Object.entries(this.#stored(scope)).filter(([other]) => other !== key);
    const kept = value === undefined ? others : [...others.slice(1 - this.most), [key, value] as const];
    await this.store.set(scope, Object.fromEntries(kept));
  }

  #stored(scope: KeptScope): Readonly<Record<string, unknown>> {
    const stored = this.store.get(scope);
    return isObject(stored) ? stored : {};
  }
}
