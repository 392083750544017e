/** The waits before a request is sent once more, in milliseconds. There are no more attempts than these. */
export const WAITS_MS: readonly number[] = [250, 500, 1_000];

const DEFAULT_MS = 1_000;
/** The shortest pause, as a server may ask for none at all. */
const MIN_MS = 20;
const MAX_MS = 30_000;
/** The longest pause: longer than any server can mean, and close to the longest timer. */
const LONGEST_MS = 60 * 60_000;

/** How long to wait before a stream is reopened: twice as long each time, until it has worked. */
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

/** How long a `Retry-After` header, with seconds or a date, asks to wait, in milliseconds. Undefined: neither. */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000;
  // An HTTP date begins with the name of a day; `Date.parse` accepts much else.
  const date = /^\s*[A-Z][a-z]{2}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
