import {
  type CallToolRequest,
  type CallToolResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolError,
  type RequestId,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { RequestWatch } from '../definition/ports';
import { Deadline, type Deadlines } from './deadlines';
import type { PeerReader } from './peerReader';
import { progressOf } from './progress';
import type { Sending } from './sentRequests';

/** Ids of our requests start here: far from the SDK's, which begin at 0, and within 32 bits. */
const FIRST_ID = 1_000_000_000;

/** Whether an id is one of ours, perhaps of a call that was given up. */
export const isOwnId = (id: unknown): boolean => Number(id) >= FIRST_ID;

/** Sees each message that passes between the SDK and a transport, before its receiver does. */
interface MessageObserver {
  /** @returns what is sent instead, or undefined to send nothing. */
  sending(sending: Sending): Sending | undefined;
  /** @returns what the SDK gets instead, or undefined if it gets nothing. */
  received(message: JSONRPCMessage): JSONRPCMessage | undefined;
  /** Called when the connection has ended and the SDK knows. */
  closed(): void;
  /** Sees requests as they are sent, and their answers as they arrive. Asked for each message. */
  watch?: (() => RequestWatch | undefined) | undefined;
}

/**
 * The only seam between the SDK and us: it wraps a transport, and every request, answer and notification passes through it
 * in both directions, with its method and id. Whatever we have to know about the SDK's requests, or do differently, happens
 * here, using only its public interface `Transport`. That includes tool calls that are made without it (`DirectCalls`).
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
      if (!('method' in message)) observer.watch?.()?.answered(message);
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
        observer.watch?.()?.closed();
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
    if (!sending) return Promise.resolve();
    const watch = this.observer.watch?.();
    if (!watch || !isRequest(sending.message)) return this.inner.send(sending.message, sending.options);
    const { id } = sending.message;
    const sent = this.inner.send(watch.sending(sending.message), sending.options);
    sent.catch(error => watch.failed(id, error));
    return sent;
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

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => 'method' in message && 'id' in message;

class Call extends Deadline {
  id = 0;
  onAbort: (() => void) | undefined;

  constructor(
    readonly options: RequestOptions,
    readonly resolve: (result: CallToolResult) => void,
    readonly reject: (error: unknown) => void,
    private readonly cancel: (call: Call, why: unknown) => void,
  ) {
    super(options);
  }

  expired(error: SdkError): void {
    this.cancel(this, error);
  }
}

/**
 * Sends `tools/call` in the legacy era without the SDK's client, through the same seam: the SDK takes five times as long,
 * for a timer, four map entries and three schema checks per call. Options, results and errors are the same as with the SDK.
 */
export class DirectCalls {
  readonly #calls = new RequestTable<Call>(FIRST_ID);
  readonly #cancel = (call: Call, why: unknown) => this.#giveUp(call, why);

  constructor(
    private readonly transport: Pick<Transport, 'send'>,
    private readonly deadlines: Deadlines,
    /** Called when a request with this method is given up, with the reason. */
    private readonly cancelled: (method: string, reason: unknown, id: RequestId) => void,
    private readonly reader: PeerReader,
  ) {}

  /** Calls a tool (spec: server/tools#calling-tools). */
  call(params: CallToolRequest['params'], options: RequestOptions = {}): Promise<CallToolResult> {
    const { signal, onprogress } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(errorOf(signal.reason));
      const call = new Call(options, resolve, reject, this.#cancel);
      if (signal) {
        call.onAbort = () => this.#giveUp(call, signal.reason);
        signal.addEventListener('abort', call.onAbort);
      }
      const id = this.#calls.add(call);
      call.id = id;
      this.deadlines.start(call);
      const told = onprogress ? { ...params, _meta: { ...params._meta, progressToken: id } } : params;
      this.transport
        .send({ jsonrpc: '2.0', id, method: 'tools/call', params: told } as JSONRPCMessage)
        .catch(error => this.#take(id)?.reject(error));
    });
  }

  /** Handles a message that concerns one of its calls. False: it concerns none, or is unusable. */
  receive(message: JSONRPCMessage): boolean {
    if ('method' in message) return message.method === 'notifications/progress' && this.#onProgress(message.params);
    const id = Number(message.id);
    if (!this.#calls.get(id)) return false;
    if ('result' in message) {
      const { result } = message;
      if (typeof result !== 'object' || result === null) return false;
      this.#settle(id, result);
      return true;
    }
    const { code, message: text, data } = message.error;
    this.#take(id)?.reject(new ProtocolError(code, text, data));
    return true;
  }

  /** To be called when the connection is gone: no call will be answered any more. */
  close(): void {
    for (const [id] of this.#calls.entries()) {
      this.#take(id)?.reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
    }
  }

  #settle(id: number, result: Record<string, unknown>): void {
    const call = this.#take(id);
    try {
      call?.resolve(this.reader.call(result));
    } catch (error) {
      // It is nested deeper than the stack.
      call?.reject(error);
    }
  }

  #onProgress(params: Record<string, unknown> = {}): boolean {
    const call = this.#calls.get(Number(params.progressToken));
    const progress = call && progressOf(params);
    if (!progress) return false;
    this.deadlines.progress(call);
    call.options.onprogress?.(progress);
    return true;
  }

  /** Abandons a call and tells the server (spec: basic/utilities/cancellation). */
  #giveUp({ id }: Call, why: unknown): void {
    const call = this.#take(id);
    if (!call) return;
    this.cancelled('tools/call', why, id);
    const params = { requestId: id, reason: String(why) };
    this.transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
    call.reject(errorOf(why));
  }

  #take(id: number): Call | undefined {
    const call = this.#calls.take(id);
    if (!call) return undefined;
    this.deadlines.end(call);
    if (call.onAbort) call.options.signal?.removeEventListener('abort', call.onAbort);
    return call;
  }
}

function errorOf(why: unknown): SdkError {
  return why instanceof SdkError ? why : new SdkError(SdkErrorCode.RequestTimeout, String(why));
}

/** The initial size. Every size is a power of two. */
const SLOTS = 8;

/**
 * Requests in flight, each under an id that was never used before. Not a `Map`: one that is constantly filled and emptied is
 * copied again and again, and V8 keeps every old copy, with all its contents, until the next full collection, which took as
 * long as everything else in a tool call. Here the slot of an id is its remainder modulo the size, and ids whose slot is
 * taken are skipped.
 */
export class RequestTable<T> {
  #slots: ([number, T] | undefined)[] = new Array(SLOTS).fill(undefined);
  #size = 0;

  /** @param next the first id, a positive number. */
  constructor(private next: number) {}

  /** @returns its id. */
  add(value: T): number {
    // At least half of the slots are free, so one is found soon.
    if (++this.#size * 2 > this.#slots.length) this.#grow();
    while (this.#slots[this.#place(this.next)]) this.next++;
    this.#slots[this.#place(this.next)] = [this.next, value];
    return this.next++;
  }

  get(id: number): T | undefined {
    const slot = this.#slots[this.#place(id)];
    return slot?.[0] === id ? slot[1] : undefined;
  }

  /** @returns the entry under the id. */
  take(id: number): T | undefined {
    const value = this.get(id);
    if (value !== undefined) {
      this.#slots[this.#place(id)] = undefined;
      this.#size--;
    }
    return value;
  }

  /** A snapshot of all entries with their ids. */
  entries(): [number, T][] {
    return this.#slots.filter(slot => slot !== undefined);
  }

  #place(id: number): number {
    return id & (this.#slots.length - 1);
  }

  #grow(): void {
    const entries = this.entries();
    this.#slots = new Array(this.#slots.length * 2).fill(undefined);
    // Entries with different slots also have different ones in a table of twice the size.
    for (const entry of entries) this.#slots[this.#place(entry[0])] = entry;
  }
}
