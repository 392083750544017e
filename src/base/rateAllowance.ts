/** What somebody may use at once, and in the long run: it grows again with time, up to what it was. */
export class RateAllowance {
  #left: number;
  #last: number | undefined;

  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
  ) {
    this.#left = burst;
  }

  /** Whether something is left now. @param now in milliseconds, from any start. */
  isLeft(now: number): boolean {
    const passed = now - (this.#last ?? now);
    this.#last = now;
    this.#left = Math.min(this.burst, this.#left + (passed / 1000) * this.perSecond);
    return this.#left >= 1;
  }

  /** Uses some, also more than is left. */
  take(amount: number): void {
    this.#left -= amount;
  }

  /** Uses some if anything is left now. @returns whether there was. */
  use(now: number, amount = 1): boolean {
    const isLeft = this.isLeft(now);
    if (isLeft) this.take(amount);
    return isLeft;
  }
}

const MINUTE_MS = 60_000;

/** What happened in the last minute, by key: at most as often as is allowed. */
export class PerMinute {
  readonly #times = new Map<string, number[]>();

  /** @param now in milliseconds, from any start. */
  constructor(private readonly now: () => number = Date.now) {}

  /** Counts one more, and returns 0; if it is one too many, how long it would have to wait, in milliseconds. */
  wait(key: string, most: number): number {
    const now = this.now();
    const times = (this.#times.get(key) ?? []).filter(time => now - time < MINUTE_MS);
    this.#times.set(key, times);
    if (times.length >= most) return (times[0] ?? now) + MINUTE_MS - now;
    times.push(now);
    return 0;
  }
}
