import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { orAborted } from '../../base/queue';
import { EventReader, type ServerSentEvent } from '../reading/eventReader';
import { Backoff, retryAfterMs } from './backoff';
import { type EventRelay, isEventStream } from './eventStreams';
import { seconds, sessionForgotten, streamLost, unanswered } from './httpFaults';
import { isTransportFault, type TransportFault, tooLarge } from './transportFault';

const MAX_RESUMES = 3;
/** A stream should end after the answer; if it does not, it is ended after this time. */
const AFTER_ANSWER_MS = 2_000;

interface AnswerStreamOptions {
  id: RequestId;
  /** False if the stream may end without an answer: that of `subscriptions/listen`, or of a request that was given up. */
  isAwaited(): boolean;
  maxMessageBytes: number;
  relay: EventRelay;
  signal: AbortSignal;
  resume(lastEventId: string): Promise<Response>;
}

/**
 * The event stream that answers one POST (spec: basic/transports#sending-messages-to-the-server). One that ends too soon is
 * resumed if the server gives its events ids (until 2025-11-25), after the delay that it asks for.
 */
export class AnswerStream {
  readonly #events: EventReader;
  readonly #backoff = new Backoff();
  readonly #ended = new AbortController();
  #answered = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: AnswerStreamOptions) {
    this.#events = new EventReader(options.maxMessageBytes, tooLarge);
  }

  /** Whether a message has arrived in part. */
  get isWithinMessage(): boolean {
    return this.#events.isWithinEvent;
  }

  /** Reads until the answer has arrived. Rejects with a `TransportFault` as soon as it is clear that none will. */
  async run(first: Response): Promise<void> {
    let response: Response | undefined = first;
    try {
      while (response?.body) {
        const cause = await this.#read(response.body);
        if (this.#answered || !this.options.isAwaited()) return;
        this.options.signal.throwIfAborted();
        const { lastEventId } = this.#events;
        if (lastEventId === undefined) throw unanswered(cause);
        response = await this.#resume(lastEventId, cause);
      }
      throw unanswered();
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** @returns why it broke, if it did. */
  async #read(body: ReadableStream<Uint8Array>): Promise<unknown> {
    try {
      await this.options.relay.read(body, this.#events, {
        id: this.options.id,
        message: message => this.#onMessage(message),
        end: this.#ended.signal,
      });
      return undefined;
    } catch (error) {
      if (isTransportFault(error)) throw error;
      return error;
    }
  }

  #onMessage(message: JSONRPCMessage): void {
    // Anything that arrives shows that the stream works.
    this.#backoff.reset();
    if ('method' in message || message.id !== this.options.id) return;
    this.#answered = true;
    this.#timer ??= setTimeout(() => this.#ended.abort(), AFTER_ANSWER_MS).unref();
  }

  async #resume(lastEventId: string, cause: unknown): Promise<Response> {
    const { signal, resume } = this.options;
    for (let failures = 0; failures < MAX_RESUMES; failures++) {
      await delay(this.#backoff.next(this.#events.retryMs), undefined, { signal });
      const response = await resume(lastEventId).catch(() => undefined);
      if (response && isEventStream(response)) return response;
      void response?.body?.cancel().catch(() => {});
      signal.throwIfAborted();
      // The server refuses, and asking again would change nothing.
      if (response && response.status < 500 && response.status !== 429) break;
    }
    throw unanswered(cause);
  }
}

const MAX_FAILURES = 5;
/** How often an answer that is no stream is asked for again. */
const MAX_OTHERS = 3;
const MAX_WAIT_MS = 30_000;
/** A stream that was open for this long has worked, even if nothing was sent on it. */
const LONG_MS = 10_000;
/** Only the first few ends are logged; a server that closes its stream every minute has its reasons. */
const MAX_REPORTS = 3;

interface StandingStreamOptions {
  maxMessageBytes: number;
  relay: EventRelay;
  signal: AbortSignal;
  /** Reopens the stream, after the given event if any. Undefined: its end is the end of the session. */
  reopen: ((lastEventId: string | undefined) => Promise<Response>) | undefined;
  /** Receives events that have a name. */
  passOn(event: ServerSentEvent): void;
  /** Reports what is done about it. */
  say(what: string): void;
  lost(fault: TransportFault): void;
}

/**
 * The stream on which a server of the legacy era sends unsolicited messages (spec:
 * basic/transports#listening-for-messages-from-the-server). It may end at any time and is reopened, after a delay that grows
 * while it keeps failing. If that fails for good, the session is lost.
 */
export class StandingStream {
  readonly #events: EventReader;
  readonly #backoff = new Backoff();
  #reports = 0;
  #wasOpen = false;

  constructor(private readonly options: StandingStreamOptions) {
    this.#events = new EventReader(options.maxMessageBytes, tooLarge);
  }

  /**
   * Reads until the server refuses to continue; then the SDK asks once more and sees the refusal.
   * @param first undefined if the stream could not be opened yet. If it can never be opened, nothing is lost: a server need
   * not have one.
   */
  async run(first: Response | undefined): Promise<void> {
    const { signal, reopen, lost, say } = this.options;
    for (let response = first; ; ) {
      let cause: unknown;
      if (response?.body) {
        this.#wasOpen = true;
        cause = await this.#read(response.body);
        signal.throwIfAborted();
      }
      const next: Response | TransportFault = reopen ? await this.#reopen(reopen, cause) : streamLost(cause);
      if (isTransportFault(next)) {
        if (this.#wasOpen) lost(next);
        else
          say(`its event stream could not be opened, so its notifications and requests do not arrive: ${next.message}`);
        return orAborted(new Promise<never>(() => {}), signal);
      }
      if (!next.ok) return;
      response = next;
    }
  }

  /** @returns why it broke, if it did. */
  async #read(body: ReadableStream<Uint8Array>): Promise<unknown> {
    const { relay, passOn } = this.options;
    const start = performance.now();
    try {
      await relay.read(body, this.#events, { message: () => this.#backoff.reset(), named: passOn });
      return undefined;
    } catch (error) {
      if (isTransportFault(error)) {
        relay.leftOut(`a message of more than ${this.options.maxMessageBytes} bytes`);
        // Otherwise it would be sent again.
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
  ): Promise<Response | TransportFault> {
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
        // Asking again would change nothing; the person has to act.
        if (isTransportFault(error) && error.code === 'UNAUTHORIZED') return error;
        cause = error;
        continue;
      }
      if (isEventStream(response)) return response;
      void response.body?.cancel().catch(() => {});
      const { status } = response;
      if (status === 404) return sessionForgotten();
      if (status >= 400 && status < 500 && status !== 429) return response;
      // Only a stream that was there comes back soon.
      if (response.ok && failures >= MAX_OTHERS) break;
      const retryMs = retryAfterMs(response.headers.get('retry-after'));
      askedMs = retryMs === undefined ? this.#events.retryMs : Math.min(MAX_WAIT_MS, retryMs);
      cause = new Error(`HTTP ${status}`);
    }
    return streamLost(cause);
  }

  #report(waitMs: number): void {
    if (!this.#wasOpen || ++this.#reports > MAX_REPORTS) return;
    const last = this.#reports === MAX_REPORTS ? '; further attempts are not logged' : '';
    this.options.say(`its event stream is closed and is opened again in ${seconds(waitMs)}${last}`);
  }
}
