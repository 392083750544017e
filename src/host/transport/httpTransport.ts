import {
  type FetchLike,
  type JSONRPCMessage,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { whenAborted } from '../../base/queue';
import { AnswerQueue } from './answerQueue';
import { EventRelay, type MessageListeners } from './eventStreams';
import { createHttpFetch, Exchanges, type HttpFetchOptions } from './httpFetch';
import type { Traffic } from './incomingMessages';
import { isTransportFault, StreamFault } from './transportFault';

export type RemoteListeners = Omit<MessageListeners, 'message'> & Pick<HttpFetchOptions, 'say' | 'lost'>;

export interface RemoteOptions
  extends Pick<HttpFetchOptions, 'url' | 'headers' | 'authorize' | 'mayReach' | 'maxMessageBytes' | 'limitMs'> {
  /** The program that prints its headers: it has to be done before anything is sent, and ends with the transport. */
  readonly helper?: { ready(): Promise<void>; close(): Promise<void> } | undefined;
}

/** How long a server may take to confirm that it has ended a session. */
const END_SESSION_MS = 1_000;

/**
 * Streamable HTTP (spec: basic/transports#streamable-http): the SDK's transport over a `fetch` of our own. Sending a request
 * fails as soon as its answer can no longer come, where the SDK's would wait for the time limit. Closing it also ends the
 * session on the server, unless the server has forgotten it.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #exchanges: Exchanges;
  readonly #relay: EventRelay;
  readonly #send: FetchLike;
  readonly #url: URL;
  readonly #helper: RemoteOptions['helper'];
  readonly #answers: AnswerQueue;
  #lost = false;
  /** Whether to ask once more for the stream for what it sends unasked, as it has refused it. Undefined: it has not. */
  #asksAgain: boolean | undefined;
  #ended: Promise<void> | undefined;

  constructor(options: RemoteOptions, listeners: RemoteListeners) {
    const exchanges = new Exchanges();
    const relay: EventRelay = new EventRelay({ ...listeners, message: message => deliver(this, message) });
    const lost: RemoteListeners['lost'] = fault => {
      this.#lost = true;
      listeners.lost(fault);
    };
    const send = createHttpFetch({ ...options, ...listeners, lost, kind: 'http', exchanges, relay });
    super(options.url, {
      fetch: async (url, init) => {
        const response = await send(url, init);
        if (init?.method === 'GET' && response.status === 405) this.#asksAgain ??= true;
        return response;
      },
    });
    this.#exchanges = exchanges;
    this.#relay = relay;
    this.#send = send;
    this.#url = options.url;
    this.#helper = options.helper;
    this.#answers = new AnswerQueue(options.maxMessageBytes);
  }

  get traffic(): Traffic {
    return this.#relay.traffic;
  }

  override async start(): Promise<void> {
    await this.#helper?.ready();
    await super.start();
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    const send = () => super.send(message, options as Parameters<StreamableHTTPClientTransport['send']>[1]);
    try {
      if (isAnswer(message)) return await this.#answers.send(message, send);
      await send();
    } catch (error) {
      if (isTransportFault(error) && error.code === 'SESSION_LOST') this.#lost = true;
      throw error;
    }
    await this.#exchanges.answered(message);
    // Some servers have a stream only when there is something to send on it.
    if (
      !this.#asksAgain ||
      Array.isArray(message) ||
      !('method' in message) ||
      message.method !== 'resources/subscribe'
    )
      return;
    this.#asksAgain = false;
    await this.resumeStream('').catch(() => {});
  }

  override async close(): Promise<void> {
    this.#relay.close();
    this.#answers.close();
    const helper = this.#helper?.close();
    await super.close();
    this.#ended ??= this.#endSession();
    await Promise.all([this.#ended, helper]);
  }

  /** The result is ignored: servers may refuse, and the caller is done with this session. */
  async #endSession(): Promise<void> {
    const { sessionId, protocolVersion } = this;
    if (sessionId === undefined || this.#lost) return;
    const headers = new Headers({ 'mcp-session-id': sessionId });
    if (protocolVersion !== undefined) headers.set('mcp-protocol-version', protocolVersion);
    // The SDK's own request would be aborted by its close, and a failure reported as an error.
    const signal = AbortSignal.timeout(END_SESSION_MS);
    const send = async () => {
      const response = await this.#send(this.#url, { method: 'DELETE', headers, signal });
      await response.body?.cancel();
    };
    // Not every sender checks the signal.
    await Promise.race([send().catch(() => {}), whenAborted(signal)]);
  }
}

/** The older HTTP+SSE of 2024-11-05. All answers come on one stream, whose end is the end of the session. */
export class SseTransport extends SSEClientTransport {
  readonly #relay: EventRelay;
  /** Rejects when the session is lost, with the reason. */
  readonly #lost: Promise<never>;
  /** Why the stream could not be opened, if the network is the reason. */
  readonly #failure: () => unknown;
  readonly #helper: RemoteOptions['helper'];
  readonly #answers: AnswerQueue;

  constructor(options: RemoteOptions, listeners: RemoteListeners) {
    const relay: EventRelay = new EventRelay({ ...listeners, message: message => deliver(this, message) });
    const exchanges = new Exchanges();
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    const lost: RemoteListeners['lost'] = fault => {
      reject(fault);
      listeners.lost(fault);
    };
    const send = createHttpFetch({ ...options, ...listeners, lost, kind: 'sse', exchanges, relay });
    let failure: unknown;
    super(options.url, {
      fetch: (url, init) =>
        send(url, init).catch(error => {
          failure = error;
          throw error;
        }),
    });
    this.#relay = relay;
    this.#lost = promise;
    this.#failure = () => failure;
    this.#helper = options.helper;
    this.#answers = new AnswerQueue(options.maxMessageBytes);
  }

  get traffic(): Traffic {
    return this.#relay.traffic;
  }

  /** @throws StreamFault for the SDK's error, which is loaded only here and has the reason only in words. */
  override async start(): Promise<void> {
    await this.#helper?.ready();
    try {
      await Promise.race([super.start(), this.#lost]);
    } catch (error) {
      throw error instanceof SseError ? new StreamFault(error.code, error.message, this.#failure() ?? error) : error;
    }
  }

  override send(message: JSONRPCMessage): Promise<void> {
    const send = () => super.send(message);
    return isAnswer(message) ? this.#answers.send(message, send) : send();
  }

  override async close(): Promise<void> {
    this.#relay.close();
    this.#answers.close();
    await Promise.all([super.close(), this.#helper?.close()]);
  }
}

const isAnswer = (message: JSONRPCMessage | JSONRPCMessage[]): boolean =>
  !Array.isArray(message) && !('method' in message);

/** The stream continues whatever a message does to the SDK, such as overflowing its stack by deep nesting. */
function deliver(transport: Transport, message: JSONRPCMessage): void {
  try {
    transport.onmessage?.(message);
  } catch (error) {
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}
