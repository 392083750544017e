import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is refused. */
interface Denial {
  readonly status: 401 | 403;
  readonly reason: string;
}

/** Admits clients that know the gateway's secret, but no web pages. */
export class Guard {
  /** The value of the `Authorization` header. New in each window, and kept nowhere. */
  readonly authorization = `Bearer ${randomBytes(32).toString('base64url')}`;
  readonly #expected = digest(this.authorization);

  /** @param port of loopback TCP, where a foreign `Host` reveals DNS rebinding; undefined over a socket. */
  refusal({ headers }: IncomingMessage, port: number | undefined): Denial | undefined {
    // Browsers send it with every request that a page makes; the editor's client does not.
    if (headers.origin !== undefined) return { status: 403, reason: 'web pages have no access' };
    if (port !== undefined && !isLoopback(headers.host, port))
      return { status: 403, reason: 'the Host is not this one' };
    // Hashes have the same length, and do not reveal how much of the value was right.
    const isKnown = timingSafeEqual(digest(headers.authorization ?? ''), this.#expected);
    return isKnown ? undefined : { status: 401, reason: 'the bearer token is missing or wrong' };
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest();

function isLoopback(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}
