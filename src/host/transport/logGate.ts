import type { LoggingLevel } from '@modelcontextprotocol/client';

/** So many may come at once… */
const BURST = 100_000;
/** …and so many each second for as long as it lasts. */
const PER_SECOND = 10_000;
const REPORT_MS = 1_000;
/** What writing lines sets off is let run once for so many: about a millisecond of it. */
export const LINES_PER_SETTLE = 64;

const alwaysPass = new Set<LoggingLevel>(['warning', 'error', 'critical', 'alert', 'emergency']);

/**
 * Lets log messages through up to a rate that nobody could read anyway. Warnings and worse always pass. What was left
 * out is counted and reported, once a second at most.
 */
export class LogGate {
  #allowance: number;
  #at = performance.now();
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly onLeftOut: (count: number) => void,
    private readonly burst = BURST,
    private readonly perSecond = PER_SECOND,
  ) {
    this.#allowance = burst;
  }

  passes(level: LoggingLevel): boolean {
    if (alwaysPass.has(level)) return true;
    if (this.#allowance < 1) this.#refill();
    if (this.#allowance >= 1) {
      this.#allowance--;
      return true;
    }
    this.#leftOut++;
    this.#timer ??= setTimeout(() => this.report(), REPORT_MS).unref();
    return false;
  }

  /** Reports what has not been reported. */
  report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#leftOut > 0) this.onLeftOut(this.#leftOut);
    this.#leftOut = 0;
  }

  #refill(): void {
    const now = performance.now();
    this.#allowance = Math.min(this.burst, this.#allowance + ((now - this.#at) / 1_000) * this.perSecond);
    this.#at = now;
  }
}
