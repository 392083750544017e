/** Number of durations kept. */
const KEPT = 512;

/** The newest durations in milliseconds, in order of arrival. */
export class Latencies {
  readonly #ring: number[] = [];
  #count = 0;

  /** How many there have been in total. */
  get count(): number {
    return this.#count;
  }

  add(ms: number): void {
    this.#ring[this.#count++ % KEPT] = ms;
  }

  /** The newest, oldest first. */
  last(count: number): number[] {
    const next = this.#count % KEPT;
    const inOrder = this.#count <= KEPT ? this.#ring : [...this.#ring.slice(next), ...this.#ring.slice(0, next)];
    return inOrder.slice(-count);
  }

  /** Quantiles of the kept values, for instance for `[0.5, 0.95]`. Undefined if there are none. */
  percentiles(parts: readonly number[]): number[] | undefined {
    if (this.#count === 0) return undefined;
    const sorted = [...this.#ring].sort((a, b) => a - b);
    return parts.map(part => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]!);
  }
}
