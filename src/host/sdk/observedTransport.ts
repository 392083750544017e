import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';

/** A message on its way from the SDK to the transport. */
export interface Sending {
  readonly message: JSONRPCMessage;
  readonly options: TransportSendOptions | undefined;
}

/** Sees each message that passes between the SDK and a transport, before its receiver does. */
export interface MessageObserver {
  /** @returns what is sent instead, or undefined to send nothing. */
  sending(sending: Sending): Sending | undefined;
  /** @returns what the SDK gets instead, or undefined if it gets nothing. */
  received(message: JSONRPCMessage): JSONRPCMessage | undefined;
  /** Called when the connection has ended and the SDK knows. */
  closed(): void;
}

/**
 * The only seam between the SDK and us: it wraps a transport, and every request, answer and notification passes through it
 * in both directions, with its method and id. Whatever we have to know about the SDK's requests, or do differently, happens
 * here, using only its public interface `Transport`.
 */
export class ObservedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];

  constructor(
    private readonly inner: Transport,
    private readonly observer: MessageObserver,
  ) {
    const { onclose, onmessage, onerror } = inner;
    inner.onmessage = (message, extra) => {
      onmessage?.(message, extra);
      this.deliver(message, extra);
    };
    inner.onerror = error => {
      onerror?.(error);
      this.onerror?.(error);
    };
    inner.onclose = () => {
      try {
        onclose?.();
        this.onclose?.();
      } finally {
        observer.closed();
      }
    };
    // The SDK treats a transport with these two members as a pipe, and probes the era over it.
    if ('pid' in inner && 'stderr' in inner) Object.assign(this, { pid: inner.pid, stderr: inner.stderr });
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  get hasPerRequestStream(): boolean {
    return this.inner.hasPerRequestStream === true;
  }

  start(): Promise<void> {
    return this.inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const sending = this.observer.sending({ message, options });
    return sending ? this.inner.send(sending.message, sending.options) : Promise.resolve();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.inner.setSupportedProtocolVersions?.(versions);
  }

  /** Hands a message to the SDK as if it had come over the wire. */
  deliver: NonNullable<Transport['onmessage']> = (message, extra) => {
    const seen = this.observer.received(message);
    if (seen) this.onmessage?.(seen, extra);
  };
}
