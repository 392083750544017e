interface CoalescerOptions {
  /** Runs after this long without a further trigger, in milliseconds. */
  quietMs: number;
  /** Runs at the latest this long after the first trigger, in milliseconds: a steady stream must not starve it. */
  maxMs: number;
}

/** Runs an action once for a burst of triggers. */
export class Coalescer {
  #timer: NodeJS.Timeout | undefined;
  #deadline = 0;
  #last = 0;

  constructor(
    private readonly action: () => void,
    private readonly options: CoalescerOptions,
  ) {}

  trigger(): void {
    const { quietMs, maxMs } = this.options;
    const isWaiting = this.#timer !== undefined;
    if (isWaiting && quietMs >= maxMs) return;
    this.#last = performance.now();
    if (isWaiting) return;
    this.#deadline = this.#last + maxMs;
    this.#wait(this.#last);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** One timer for many triggers: setting one for each would cost more than all else when messages pour in. */
  #wait(now: number): void {
    const delay = Math.min(this.#last + this.options.quietMs, this.#deadline) - now;
    this.#timer = setTimeout(
      () => {
        const later = performance.now();
        if (later < Math.min(this.#last + this.options.quietMs, this.#deadline)) return this.#wait(later);
        this.#timer = undefined;
        this.action();
      },
      Math.max(0, delay),
    );
  }
}
