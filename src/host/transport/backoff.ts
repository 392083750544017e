const DEFAULT_MS = 1_000;
/** A server may ask for a pause of no time at all. */
const MIN_MS = 20;
const MAX_MS = 30_000;
/** Longer than any server can mean; a timer can't be set for much longer. */
const LONGEST_MS = 60 * 60_000;

/** How long to wait before a stream is opened again: twice as long each time, until it has done well. */
export class Backoff {
  #times = 0;

  /** @param askedMs what the server asks for (`retry` of its stream): never less than that. */
  next(askedMs = DEFAULT_MS): number {
    const firstMs = Math.max(MIN_MS, askedMs);
    return Math.min(LONGEST_MS, Math.max(firstMs, Math.min(MAX_MS, firstMs * 2 ** this.#times++)));
  }

  reset(): void {
    this.#times = 0;
  }
}
