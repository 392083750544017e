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

  constructor(
    private readonly action: () => void,
    private readonly options: CoalescerOptions,
  ) {}

  trigger(): void {
    const now = performance.now();
    if (this.#timer === undefined) this.#deadline = now + this.options.maxMs;
    else clearTimeout(this.#timer);
    const delay = Math.max(0, Math.min(this.options.quietMs, this.#deadline - now));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.action();
    }, delay);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
