/** Messages that an app may send at once, and each second from then on. Drawing a chart asks for a few. */
const BURST = 1_000;
const PER_SECOND = 200;
/** The largest message, in characters. */
const MAX_LENGTH = 8 * 1024 * 1024;

/** Why an app is stopped. */
export type Excess = 'flood' | 'large';

/**
 * Counts what an app sends, in the page around it, so that a flood ends there. It never delays: an app that sends more than it
 * may is stopped.
 */
export class MessageGate {
  #left = BURST;
  #last: number | undefined;

  /** @param now in milliseconds, from any start. @returns why the message goes no further. */
  take(length: number, now: number): Excess | undefined {
    if (length > MAX_LENGTH) return 'large';
    const passed = now - (this.#last ?? now);
    this.#last = now;
    this.#left = Math.min(BURST, this.#left + (passed / 1000) * PER_SECOND);
    return this.#left-- < 1 ? 'flood' : undefined;
  }
}
