import {
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { EventRelay, type MessageListeners } from './eventRelay';
import { Exchanges } from './exchanges';
import { createHttpFetch, type HttpFetchOptions } from './httpFetch';
import type { Traffic } from './traffic';

export type RemoteListeners = Omit<MessageListeners, 'message'> & Pick<HttpFetchOptions, 'say' | 'lost'>;

export type RemoteOptions = Pick<HttpFetchOptions, 'url' | 'headers' | 'authorize' | 'maxMessageBytes' | 'limitMs'>;

/**
 * Streamable HTTP (spec: basic/transports#streamable-http): the SDK's transport over a `fetch` of our own. Sending a request
 * fails as soon as its answer can't come any more; the SDK's would wait for its time limit.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #exchanges: Exchanges;
  readonly #relay: EventRelay;

  constructor(options: RemoteOptions, listeners: RemoteListeners) {
    const exchanges = new Exchanges();
    const relay: EventRelay = new EventRelay({ ...listeners, message: message => deliver(this, message) });
    super(options.url, { fetch: createHttpFetch({ ...options, ...listeners, kind: 'http', exchanges, relay }) });
    this.#exchanges = exchanges;
    this.#relay = relay;
  }

  get traffic(): Traffic {
    return this.#relay.traffic;
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    await super.send(message, options as Parameters<StreamableHTTPClientTransport['send']>[1]);
    await this.#exchanges.answered(message);
  }

  override async close(): Promise<void> {
    this.#relay.close();
    await super.close();
  }
}

/** The older HTTP+SSE of 2024-11-05. All answers come on its one stream: the end of that is the end of the session. */
export class SseTransport extends SSEClientTransport {
  readonly #relay: EventRelay;

  constructor(options: RemoteOptions, listeners: RemoteListeners) {
    const relay: EventRelay = new EventRelay({ ...listeners, message: message => deliver(this, message) });
    const exchanges = new Exchanges();
    super(options.url, { fetch: createHttpFetch({ ...options, ...listeners, kind: 'sse', exchanges, relay }) });
    this.#relay = relay;
  }

  get traffic(): Traffic {
    return this.#relay.traffic;
  }

  override async close(): Promise<void> {
    this.#relay.close();
    await super.close();
  }
}

/** Whatever a message does to the SDK, for instance one nested so deep that its stack overflows: the stream goes on. */
function deliver(transport: Transport, message: JSONRPCMessage): void {
  try {
    transport.onmessage?.(message);
  } catch (error) {
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}
