interface Limit {
  /** By the clock, in milliseconds. */
  readonly at: number;
  readonly reached: AbortController;
  timer?: NodeJS.Timeout;
}

/** The time of tests, in milliseconds. It stands still while a debugger has paused the program. */
export class TestClock {
  readonly #limits = new Set<Limit>();
  /** For how long it stood still, and since when it does. */
  #stoodMs = 0;
  #stillSince: number | undefined;

  now(): number {
    return (this.#stillSince ?? performance.now()) - this.#stoodMs;
  }

  /** Says whether it stands still. */
  stand(isStill: boolean): void {
    if (isStill === (this.#stillSince !== undefined)) return;
    if (isStill) {
      this.#stillSince = performance.now();
      for (const { timer } of this.#limits) clearTimeout(timer);
    } else {
      this.#stoodMs += performance.now() - this.#stillSince!;
      this.#stillSince = undefined;
      for (const limit of this.#limits) this.#watch(limit);
    }
  }

  /** A signal that is aborted after so many milliseconds of this clock, unless its end comes first. */
  limit(ms: number): { readonly signal: AbortSignal; end(): void } {
    const limit: Limit = { at: this.now() + ms, reached: new AbortController() };
    this.#limits.add(limit);
    if (this.#stillSince === undefined) this.#watch(limit);
    const end = () => {
      clearTimeout(limit.timer);
      this.#limits.delete(limit);
    };
    return { signal: limit.reached.signal, end };
  }

  #watch(limit: Limit): void {
    limit.timer = setTimeout(() => limit.reached.abort(), limit.at - this.now());
  }
}
