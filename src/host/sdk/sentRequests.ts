import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCResponse,
  type Progress,
  ProtocolError,
  type RequestId,
  type RequestOptions,
  type SdkError,
  SUBSCRIPTION_ID_META_KEY,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { MAX_TIMER_MS } from '../../base/numberText';
import { isInputRequired } from '../reading/answers';
import { Deadline, type Deadlines } from './deadlines';
import { progressOf } from './progress';

/** A message on its way from the SDK to the transport. */
export interface Sending {
  readonly message: JSONRPCMessage;
  readonly options: TransportSendOptions | undefined;
}

/** The transport between the SDK and us. */
interface Seam {
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void>;
  deliver(message: JSONRPCMessage): void;
}

/** Options of a call that may become a task, or that follows one. */
export interface TaskOptions extends RequestOptions {
  /** Calls nothing, and follows this task of an earlier call. */
  taskId?: string;
  /** Called when the call has become a task with this id. */
  onTask?: (taskId: string) => void;
}

/**
 * A header that says which of our requests a message belongs to. The SDK passes the headers of a request along with each
 * message that it makes for it; this one is removed before it is sent.
 */
const MARK = 'mcp-host-request';
/** How long the answer to a request that was given up still matters. */
const LATE_MS = 30_000;
/** That many requests that were given up may still be answered without a word. */
const MAX_GIVEN_UP = 100;

export interface RequestHandling {
  /** Turns a result into what the SDK gets instead. */
  readonly read?: (result: unknown) => unknown;
  /** Questions from the server to be answered before the request, in the modern era: the answers are sent along with it. */
  readonly inputRequests?: Record<string, unknown>;
  /** Receives the notifications of the stream that the request opens. Each extends its time limit. */
  readonly notified?: (notification: JSONRPCNotification) => void;
  /** Receives the result if it arrives after the request was given up. */
  readonly late?: (result: unknown) => void;
  /** Whether the request is to become a task: when it is given up, the task is cancelled, and not the request. */
  readonly isTask?: boolean;
}

/** A request handed to the SDK. In the modern era it may take several messages, one for each round of input. */
export class SentRequest extends Deadline {
  /** Receives its progress until it has ended. */
  onprogress: ((progress: Progress) => void) | undefined;
  /** Id of its latest message, which is also its progress token. */
  id: RequestId | undefined;
  state: 'new' | 'waiting' | 'inputRequired' | 'answered' = 'new';
  /** The error in the latest answer, as the server sent it. */
  refusal: ProtocolError | undefined;
  readonly #abort = new AbortController();
  readonly #onAbort: (() => void) | undefined;

  constructor(
    readonly mark: string,
    readonly options: RequestOptions,
    readonly handling: RequestHandling,
    /** Called when it is given up, with the reason, and the id of its latest message if it was sent. */
    private readonly cancelled: (reason: unknown, id: RequestId | undefined) => void,
  ) {
    super(options);
    const { signal, onprogress } = options;
    this.onprogress = onprogress;
    if (!signal) return;
    this.#onAbort = () => this.#giveUp(signal.reason);
    signal.addEventListener('abort', this.#onAbort);
    if (signal.aborted) this.#onAbort();
  }

  get forSdk(): RequestOptions {
    const { maxTotalTimeout, resetTimeoutOnProgress, onprogress, headers, ...rest } = this.options;
    return {
      ...rest,
      // The SDK's own limit can't be paused, so it is set as late as possible; `Deadlines` has the real one.
      timeout: MAX_TIMER_MS,
      signal: this.#abort.signal,
      headers: { ...headers, [MARK]: this.mark },
    };
  }

  /** Undoes what the SDK does to a server's error: it replaces some codes, and leaves out data that it does not know. */
  asSent(error: unknown): unknown {
    return error instanceof ProtocolError ? (this.refusal ?? error) : error;
  }

  /** Makes the SDK notify the server and reject with this error. */
  expired(error: SdkError): void {
    this.#giveUp(error);
  }

  #giveUp(reason: unknown): void {
    this.#abort.abort(reason);
    this.cancelled(reason, this.id);
  }

  release(): void {
    if (this.#onAbort) this.options.signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** The requests that the SDK is working on, with their messages, limits and progress. */
export class SentRequests {
  readonly #byMark = new Map<string, SentRequest>();
  readonly #byId = new Map<unknown, SentRequest>();
  /** Receivers of late results, by the ids of requests that were given up. */
  readonly #late = new Map<unknown, (result: unknown) => void>();
  /** Ids of the latest requests that were given up. */
  readonly #givenUp = new Set<unknown>();
  #last = 0;

  /** @param cancelled called when a request with this method is given up, with the reason. */
  constructor(
    private readonly deadlines: Deadlines,
    private readonly cancelled: (method: string, reason: unknown, id: RequestId | undefined) => void,
  ) {}

  begin(method: string, options: RequestOptions = {}, handling: RequestHandling = {}): SentRequest {
    const request = new SentRequest(String(++this.#last), options, handling, (...why) =>
      this.cancelled(method, ...why),
    );
    this.#byMark.set(request.mark, request);
    return request;
  }

  /** To be called when nothing that arrives for it matters any more. */
  end(request: SentRequest): void {
    this.deadlines.end(request);
    request.release();
    this.#byMark.delete(request.mark);
    this.#byId.delete(request.id);
    if (request.state !== 'waiting') return;
    this.#givenUp.add(request.id);
    if (this.#givenUp.size > MAX_GIVEN_UP) this.#givenUp.delete(this.#givenUp.values().next().value);
  }

  /** Processes a message from the SDK. @returns what is sent instead, or undefined to send nothing. */
  sending(sending: Sending, transport: Seam): Sending | undefined {
    const { message, options } = sending;
    if (this.#holdsBack(sending, transport)) return undefined;
    if (options?.headers?.[MARK] === undefined) return sending;
    const { [MARK]: mark, ...others } = options.headers;
    const bare = { ...options, headers: Object.keys(others).length > 0 ? others : undefined };
    const request = this.#byMark.get(mark!);
    if (!request || !('method' in message) || !('id' in message)) return { message, options: bare };
    const { state } = request;
    this.#byId.delete(request.id);
    request.id = message.id;
    request.state = 'waiting';
    this.#byId.set(message.id, request);
    if (state === 'new') this.deadlines.start(request);
    if (state === 'inputRequired') this.deadlines.release(request);
    const { inputRequests } = request.handling;
    if (state === 'new' && inputRequests) {
      // As if the server had got the request without them. The SDK has them answered and repeats it.
      const result = { resultType: 'input_required', inputRequests };
      queueMicrotask(() => transport.deliver({ jsonrpc: '2.0', id: message.id, result }));
      return undefined;
    }
    if (!request.onprogress) return { message, options: bare };
    const { params } = message;
    const told = { ...params, _meta: { ...params?._meta, progressToken: request.id } };
    return { message: { ...message, params: told }, options: bare };
  }

  /**
   * Whether the cancellation of a request is not sent, because the request is to become a task, which is cancelled as soon as
   * the server names it (spec 2025-11-25: basic/utilities/cancellation). It is sent if that takes too long.
   */
  #holdsBack({ message, options }: Sending, transport: Seam): boolean {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return false;
    const id = message.params?.requestId;
    const request = this.#byId.get(id);
    const { late, isTask = false } = request?.handling ?? {};
    if (!late || request?.state !== 'waiting') return false;
    this.#late.set(id, late);
    setTimeout(() => {
      if (this.#late.delete(id) && isTask) transport.send(message, options).catch(() => {});
    }, LATE_MS).unref();
    return isTask;
  }

  /** Whether an answer with this id may be to a request that was sent, also one that was given up. */
  expects(id: unknown): boolean {
    return this.#find(id)?.state === 'waiting' || this.#givenUp.has(Number(id));
  }

  /** Processes an answer. @returns what the SDK gets instead, or undefined if it gets nothing. */
  answered(message: JSONRPCResponse): JSONRPCResponse | undefined {
    const request = this.#find(message.id);
    const late = request ? undefined : this.#late.get(Number(message.id));
    if (late) {
      this.#late.delete(Number(message.id));
      if ('result' in message) late(message.result);
      return undefined;
    }
    if (request?.state !== 'waiting') return message;
    request.state = 'answered';
    request.refusal = undefined;
    if (!('result' in message)) {
      const { code, message: text, data } = message.error;
      request.refusal = new ProtocolError(code, text, data);
      return message;
    }
    if (isInputRequired(message.result)) {
      // The server is waiting for us now; its time continues with the next message.
      request.state = 'inputRequired';
      this.deadlines.hold(request);
    }
    const result = request.handling.read?.(message.result) ?? message.result;
    return result === message.result ? message : ({ ...message, result } as JSONRPCResponse);
  }

  /** Handles a progress notification. False: it is for none of these requests, or malformed. */
  progressed(params: Record<string, unknown> = {}): boolean {
    const request = this.#find(params.progressToken);
    const progress = request?.onprogress && progressOf(params);
    if (!progress) return false;
    this.deadlines.progress(request);
    request.onprogress?.(progress);
    return true;
  }

  /** Handles a notification of a stream. False: it is for none of these requests. */
  notified(notification: JSONRPCNotification): boolean {
    const request = this.#find(notification.params?._meta?.[SUBSCRIPTION_ID_META_KEY]);
    if (!request?.handling.notified) return false;
    this.deadlines.progress(request);
    request.handling.notified(notification);
    return true;
  }

  /** Some servers turn a number into a string. */
  #find(id: unknown): SentRequest | undefined {
    return this.#byId.get(typeof id === 'string' && !this.#byId.has(id) ? Number(id) : id);
  }
}
