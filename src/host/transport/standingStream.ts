import { setTimeout as delay } from 'node:timers/promises';
import { Backoff } from './backoff';
import { EventReader, type ServerSentEvent } from './eventReader';
import type { EventRelay } from './eventRelay';
import { type HttpFault, isHttpFault, seconds, sessionForgotten, streamLost } from './httpFault';
import { retryAfterMs } from './retryAfter';
import { isEventStream } from './standInStream';

const MAX_FAILURES = 5;
const MAX_WAIT_MS = 30_000;
/** A stream that was open for so long did well, even if nothing was sent on it. */
const LONG_MS = 10_000;
/** The first few ends are worth a line in the log; a server that closes its stream every minute has a reason. */
const MAX_REPORTS = 3;

export interface StandingStreamOptions {
  maxMessageBytes: number;
  relay: EventRelay;
  signal: AbortSignal;
  /** Opens the stream again, behind the given event if there is one. Undefined: it can't be, its end is the session's. */
  reopen: ((lastEventId: string | undefined) => Promise<Response>) | undefined;
  /** Gets events that have a name of their own. */
  passOn(event: ServerSentEvent): void;
  /** Says what is done about it. */
  say(what: string): void;
  lost(fault: HttpFault): void;
}

/**
 * The stream on which a server of the legacy era says what nobody asked for (spec:
 * basic/transports#listening-for-messages-from-the-server). It may end at any time and is opened again, after a time that
 * grows while nothing comes of it. When that fails for good, the session is lost.
 */
export class StandingStream {
  readonly #events: EventReader;
  readonly #backoff = new Backoff();
  #reports = 0;

  constructor(private readonly options: StandingStreamOptions) {
    this.#events = new EventReader(options.maxMessageBytes);
  }

  /**
   * Reads until the server refuses to go on; the SDK asks once more then and gets to see the refusal.
   * @param first undefined when the stream could not be opened yet. Never being able to is no loss: a server may do without.
   */
  async run(first: Response | undefined): Promise<void> {
    const { signal, reopen, lost, say } = this.options;
    let opened = false;
    for (let response = first; ; ) {
      let cause: unknown;
      if (response?.body) {
        opened = true;
        cause = await this.#read(response.body);
        signal.throwIfAborted();
      }
      const next: Response | HttpFault = reopen ? await this.#reopen(reopen, cause) : streamLost(cause);
      if (isHttpFault(next)) {
        if (opened) lost(next);
        else say(`its event stream could not be opened, and what it says unasked does not arrive: ${next.message}`);
        return untilAborted(signal);
      }
      if (!next.ok) return;
      response = next;
    }
  }

  /** @returns why it broke, when it did. */
  async #read(body: ReadableStream<Uint8Array>): Promise<unknown> {
    const { relay, passOn } = this.options;
    const start = performance.now();
    try {
      await relay.read(body, this.#events, { message: () => this.#backoff.reset(), named: passOn });
      return undefined;
    } catch (error) {
      if (isHttpFault(error)) {
        relay.leftOut(`a message of more than ${this.options.maxMessageBytes} bytes`);
        // Else it would come again.
        this.#events.lastEventId = undefined;
      }
      return error;
    } finally {
      if (performance.now() - start > LONG_MS) this.#backoff.reset();
    }
  }

  async #reopen(
    open: (lastEventId: string | undefined) => Promise<Response>,
    end: unknown,
  ): Promise<Response | HttpFault> {
    const { signal } = this.options;
    let cause = end;
    let askedMs = this.#events.retryMs;
    for (let failures = 0; failures < MAX_FAILURES; failures++) {
      const waitMs = this.#backoff.next(askedMs);
      this.#report(waitMs);
      await delay(waitMs, undefined, { signal });
      let response: Response | undefined;
      try {
        response = await open(this.#events.lastEventId);
      } catch (error) {
        signal.throwIfAborted();
        // To ask again would change nothing; the person has to.
        if (isHttpFault(error) && error.code === 'UNAUTHORIZED') return error;
        cause = error;
        continue;
      }
      if (isEventStream(response)) return response;
      void response.body?.cancel().catch(() => {});
      const { status } = response;
      if (status === 404) return sessionForgotten();
      if (status >= 400 && status < 500 && status !== 429) return response;
      const retryMs = retryAfterMs(response.headers.get('retry-after'));
      askedMs = retryMs === undefined ? this.#events.retryMs : Math.min(MAX_WAIT_MS, retryMs);
      cause = new Error(`HTTP ${status}`);
    }
    return streamLost(cause);
  }

  #report(waitMs: number): void {
    if (++this.#reports > MAX_REPORTS) return;
    const last = this.#reports === MAX_REPORTS ? '; further times are not logged' : '';
    this.options.say(`its event stream is not open and is opened again in ${seconds(waitMs)}${last}`);
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
