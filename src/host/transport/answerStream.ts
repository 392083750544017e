import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { Backoff } from './backoff';
import { EventReader } from './eventReader';
import type { EventRelay } from './eventRelay';
import { isHttpFault, unanswered } from './httpFault';
import { isEventStream } from './placeholderStream';

const MAX_FAILURES = 3;
/** A stream should end after the answer; if it does not, it is ended after this time. */
const AFTER_ANSWER_MS = 2_000;

interface AnswerStreamOptions {
  id: RequestId;
  /** False for `subscriptions/listen`, whose stream may end at any time. */
  mustAnswer: boolean;
  maxMessageBytes: number;
  relay: EventRelay;
  signal: AbortSignal;
  /** Resumes the stream after an event. */
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
    this.#events = new EventReader(options.maxMessageBytes);
  }

  /** Reads until the answer has arrived. Rejects with an `HttpFault` as soon as it is clear that none will. */
  async run(first: Response): Promise<void> {
    let response: Response | undefined = first;
    try {
      while (response?.body) {
        const cause = await this.#read(response.body);
        if (this.#answered || !this.options.mustAnswer) return;
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
      if (isHttpFault(error)) throw error;
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
    for (let failures = 0; failures < MAX_FAILURES; failures++) {
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
