export interface RestartOptions {
  /** First wait, in milliseconds; each further one is twice as long. */
  minMs: number;
  /** Longest wait, in milliseconds. */
  maxMs: number;
  /** Gives up after this many failures … */
  failures: number;
  /** … within this time, in milliseconds. */
  withinMs: number;
}

export const DEFAULT_RESTART: RestartOptions = { minMs: 1_000, maxMs: 60_000, failures: 5, withinMs: 5 * 60_000 };

/** When to start a server again that ended by itself: exponential backoff with jitter, and an end of patience. */
export class RestartPolicy {
  #failures: number[] = [];
  #count = 0;

  constructor(
    private readonly options: RestartOptions,
    private readonly random: () => number = Math.random,
  ) {}

  /** How often there was a next start. */
  get count(): number {
    return this.#count;
  }

  /** Notes a failure. @returns milliseconds to wait before the next start; undefined: give up. */
  next(now: number): number | undefined {
    const { minMs, maxMs, failures, withinMs } = this.options;
    this.#failures = this.#failures.filter(time => now - time < withinMs);
    this.#failures.push(now);
    if (this.#failures.length > failures) return undefined;
    this.#count++;
    const delay = Math.min(maxMs, minMs * 2 ** (this.#failures.length - 1));
    // Up to a quarter less, so that servers that fell together do not rise together.
    return Math.round(delay * (1 - this.random() / 4));
  }

  /** A person started it: earlier failures do not count. */
  reset(): void {
    this.#failures = [];
  }
}
