/** More are dropped: a server may complete visits that were never begun or are no longer awaited. */
const MAX_KEPT = 100;

/** The pages that people were sent to, until their server says that they are done there (spec 2025-11-25). */
export class Visits {
  readonly #waiting = new Set<{ key: string; end: (isDone: boolean) => void }>();
  readonly #completed = new Set<string>();

  /** Resolves when the server reports completion, or has reported it before; with false when `signal` is aborted first. */
  done(server: string, id: string, signal: AbortSignal): Promise<boolean> {
    const key = `${server}\n${id}`;
    if (this.#completed.has(key)) return Promise.resolve(true);
    return new Promise(resolve => {
      const waiter = {
        key,
        end: (isDone: boolean) => {
          this.#waiting.delete(waiter);
          resolve(isDone);
        },
      };
      this.#waiting.add(waiter);
      if (signal.aborted) waiter.end(false);
      signal.addEventListener('abort', () => waiter.end(false), { once: true });
    });
  }

  completed(server: string, id: string): void {
    const key = `${server}\n${id}`;
    this.#completed.add(key);
    for (const old of [...this.#completed].slice(0, -MAX_KEPT)) this.#completed.delete(old);
    for (const waiter of [...this.#waiting]) if (waiter.key === key) waiter.end(true);
  }
}

/**
 * Questions in notifications that may be asked again, with the same text, before they are answered. The editor then closes
 * the earlier notification, which is no answer: that of the latest holds for all of them.
 */
export class SharedNotifications {
  readonly #latest = new Map<string, Thenable<string | undefined>>();

  /** Resolves with the person's choice; undefined: they closed the notification. */
  async ask(text: string, show: () => Thenable<string | undefined>): Promise<string | undefined> {
    let shown = show();
    this.#latest.set(text, shown);
    for (;;) {
      const answer = await shown;
      const latest = this.#latest.get(text)!;
      if (answer !== undefined || latest === shown) return answer;
      shown = latest;
    }
  }
}
