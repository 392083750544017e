/** How long after a notice was closed the next one for the same subscription may appear. */
const QUIET_MS = 10_000;

export interface NoticedEvents<Event> {
  /** How many there are, the latest included. */
  readonly count: number;
  readonly latest: Event | undefined;
}

/** The notices of one subscription, one at a time and with a pause. The next sums up what came meanwhile. */
export class EventNotices<Event> {
  #waiting: NoticedEvents<Event> | undefined;
  #isBusy = false;
  #quiet: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param show resolves when the notice has been closed. */
  constructor(private readonly show: (events: NoticedEvents<Event>) => Promise<void>) {}

  add({ count, latest }: NoticedEvents<Event>): void {
    const before = this.#waiting;
    this.#waiting = { count: (before?.count ?? 0) + count, latest: latest ?? before?.latest };
    void this.#next();
  }

  dispose(): void {
    this.#isOver = true;
    clearTimeout(this.#quiet);
  }

  async #next(): Promise<void> {
    const events = this.#waiting;
    if (this.#isBusy || this.#isOver || !events) return;
    this.#waiting = undefined;
    this.#isBusy = true;
    await this.show(events).catch(() => {});
    if (this.#isOver) return;
    this.#quiet = setTimeout(() => {
      this.#isBusy = false;
      void this.#next();
    }, QUIET_MS);
  }
}
