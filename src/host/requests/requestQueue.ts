/** The most requests that may wait: anyone who makes more has gone wrong. */
const MAX_WAITING = 10_000;

/** Why a request got no turn. */
export type Refusal = 'full' | 'timeout' | 'aborted';

/**
 * Lets a limited number of requests through at once, and the others one after the other in the order of arrival. A request
 * that passes costs one comparison; only one that waits gets a timer.
 */
export class RequestQueue {
  #inFlight = 0;
  /** In the order of arrival; a set, so that one that gives up leaves without a search. */
  readonly #waiting = new Set<() => void>();

  #limit: number;

  /** @param limit the most requests at once. */
  constructor(
    limit: number,
    private readonly maxWaiting = MAX_WAITING,
  ) {
    this.#limit = limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#admit();
  }

  get isEmpty(): boolean {
    return this.#inFlight === 0;
  }

  /** Takes a turn immediately. False if there is none: then call `wait`. Each turn must be given back with `leave`. */
  tryEnter(): boolean {
    if (this.#inFlight >= this.#limit) return false;
    this.#inFlight++;
    return true;
  }

  /** Waits for a turn, at most `limitMs`. Resolves with undefined if it got one, otherwise with the reason. */
  wait(limitMs: number, signal: AbortSignal | undefined): Promise<Refusal | undefined> {
    if (signal?.aborted) return Promise.resolve('aborted');
    if (this.#waiting.size >= this.maxWaiting) return Promise.resolve('full');
    return new Promise(resolve => {
      const finish = (refusal?: Refusal) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(enter);
        resolve(refusal);
      };
      const enter = () => {
        this.#inFlight++;
        finish();
      };
      const abort = () => finish('aborted');
      const timer = setTimeout(() => finish('timeout'), limitMs);
      signal?.addEventListener('abort', abort);
      this.#waiting.add(enter);
    });
  }

  /** Gives a turn back. */
  leave(): void {
    this.#inFlight--;
    if (this.#waiting.size > 0) this.#admit();
  }

  #admit(): void {
    for (const enter of this.#waiting) {
      if (this.#inFlight >= this.#limit) return;
      enter();
    }
  }
}
