/** How long requests of a forgotten session may take to be refused. */
const REFUSED_MS = 1_000;

/** Counts the requests in flight of one session. */
export class InFlight {
  #count = 0;
  #idle: (() => void) | undefined;

  /** To be called when a request is sent. */
  begin(): void {
    this.#count++;
  }

  /** To be called when a request is over. */
  end(): void {
    if (--this.#count === 0) this.#idle?.();
  }

  /**
   * Waits after the server has refused the session, so that other requests in flight are refused too: it has not carried
   * them out either. Resolves when there are none.
   */
  async untilRefused(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    const timer = setTimeout(resolve, this.#count === 0 ? 0 : REFUSED_MS);
    await promise;
    clearTimeout(timer);
  }
}
