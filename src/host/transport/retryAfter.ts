import { setTimeout as delay } from 'node:timers/promises';
import { busy, seconds } from './httpFault';

const MAX_TRIES = 3;
/** Longer waits are left to the person. */
const MAX_WAIT_MS = 30_000;

interface Patience {
  /** The request is abandoned after this time, in milliseconds. */
  limitMs: number;
  signal: AbortSignal | undefined;
  /** Reports that it waits, and why. */
  say(what: string): void;
}

/**
 * Sends a request, and repeats it if the server refuses it temporarily and says for how long: status 429 or 503 with
 * `Retry-After` (RFC 9110, 10.2.3). It was not carried out then, so repeating it is safe. At most three times in all, and
 * only if each wait is at most 30 s and ends within the request's limit; otherwise rejects immediately with an `HttpFault`.
 */
export async function sendPatiently(send: () => Promise<Response>, patience: Patience): Promise<Response> {
  const end = performance.now() + patience.limitMs;
  for (let tries = 1; ; tries++) {
    const response = await send();
    const { status } = response;
    const waitMs = status === 429 || status === 503 ? retryAfterMs(response.headers.get('retry-after')) : undefined;
    if (waitMs === undefined) return response;
    void response.body?.cancel().catch(() => {});
    const tooLong = waitMs > MAX_WAIT_MS || performance.now() + waitMs > end;
    if (tries === MAX_TRIES || tooLong) throw busy(status, waitMs);
    patience.say(`it asks to wait (HTTP ${status}): the request is sent again in ${seconds(waitMs)}`);
    await delay(waitMs, undefined, patience.signal ? { signal: patience.signal } : {});
  }
}

/**
 * How long a `Retry-After` header asks to wait, in milliseconds: it contains seconds or a date. Undefined if it contains
 * neither.
 */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Number(header) * 1_000;
  // An HTTP date begins with the name of a day; `Date.parse` accepts much else.
  const date = /^\s*[A-Z][a-z]{2}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
