export interface RestartOptions {
  /** First wait, in milliseconds; each further one is twice as long. */
  minMs: number;
  /** Longest wait, in milliseconds. */
  maxMs: number;
  /** After this many failures it counts as down: a program is given up … */
  failures: number;
  /** … if they were within this time, in milliseconds. */
  withinMs: number;
}

export const DEFAULT_RESTART: RestartOptions = { minMs: 1_000, maxMs: 60_000, failures: 5, withinMs: 5 * 60_000 };

/** What follows a failure. */
interface Verdict {
  /** Milliseconds to wait before the next start. */
  readonly waitMs: number;
  /** Whether it has failed more often than `RestartOptions.failures`. */
  readonly isDown: boolean;
}

/**
 * Decides when to start a server again: exponential backoff with jitter.
 */
export class RestartPolicy {
  #failures: number[] = [];
  #count = 0;
  #isOut = false;

  constructor(
    readonly options: RestartOptions,
    private readonly random: () => number = Math.random,
  ) {}

  /** Number of failures after which it was to start again. */
  get count(): number {
    return this.#count;
  }

  /** Notes a failure. @param isRemote whether all failures of this outage count, however old. */
  next(now: number, isRemote: boolean): Verdict {
    const { minMs, maxMs, failures, withinMs } = this.options;
    if (!(isRemote && this.#isOut)) this.#failures = this.#failures.filter(time => now - time < withinMs);
    this.#isOut = true;
    this.#failures.push(now);
    const isDown = this.#failures.length > failures;
    if (!isDown) this.#count++;
    const delay = Math.min(maxMs, minMs * 2 ** (this.#failures.length - 1));
    // Up to a quarter less, so that servers that failed together do not restart together.
    return { waitMs: Math.round(delay * (1 - this.random() / 4)), isDown };
  }

  /** The server is ready: the outage is over. */
  up(): void {
    this.#isOut = false;
  }

  /** A person started it: earlier failures do not count. */
  reset(): void {
    this.#failures = [];
    this.#isOut = false;
  }
}
