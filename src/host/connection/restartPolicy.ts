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

/**
 * Decides when to restart a server that ended unexpectedly: exponential backoff with jitter, and a limit after which it gives
 * up.
 */
export class RestartPolicy {
  #failures: number[] = [];
  #count = 0;

  constructor(
    private readonly options: RestartOptions,
    private readonly random: () => number = Math.random,
  ) {}

  /** Number of restarts granted. */
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
    // Up to a quarter less, so that servers that failed together do not restart together.
    return Math.round(delay * (1 - this.random() / 4));
  }

  /** A person started it: earlier failures do not count. */
  reset(): void {
    this.#failures = [];
  }
}
