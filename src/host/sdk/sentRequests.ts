import type { JSONRPCResponse, Progress, RequestId, RequestOptions, SdkError } from '@modelcontextprotocol/client';
import { Deadline, type Deadlines } from './deadlines';
import type { ObservedTransport, Sending } from './observedTransport';
import { progressOf } from './progress';

/**
 * A header that says which of our requests a message belongs to. The SDK hands the headers of a request on with each message
 * that it makes of it; this one goes no further than the seam.
 */
const MARK = 'mcp-host-request';

/** The SDK's own limit, which could not be stopped, is put off as far as it can be: `Deadlines` has the real one. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** What is done with a request besides sending it. */
export interface RequestHandling {
  /** Makes of a result what the SDK is to get in its place. */
  readonly read?: (result: unknown) => unknown;
  /** What the server asks for to be answered before the request, in the modern era: the answers go along with it. */
  readonly inputRequests?: Record<string, unknown>;
}

/** A request that is handed to the SDK: in the modern era it may take several messages, one for each round of input. */
export class SentRequest extends Deadline {
  /** Gets its progress, for as long as it is not ended. */
  onprogress: ((progress: Progress) => void) | undefined;
  /** Id of its last message, which is also the token of its progress. */
  id: RequestId | undefined;
  state: 'new' | 'waiting' | 'inputRequired' | 'answered' = 'new';
  readonly #abort = new AbortController();
  readonly #onAbort: (() => void) | undefined;

  constructor(
    readonly mark: string,
    readonly options: RequestOptions,
    readonly handling: RequestHandling,
  ) {
    super(options);
    const { signal, onprogress } = options;
    this.onprogress = onprogress;
    if (!signal) return;
    this.#onAbort = () => this.#abort.abort(signal.reason);
    signal.addEventListener('abort', this.#onAbort);
    if (signal.aborted) this.#onAbort();
  }

  /** The options of the request as the SDK is to have them. */
  get forSdk(): RequestOptions {
    const { maxTotalTimeout, resetTimeoutOnProgress, onprogress, headers, ...rest } = this.options;
    return {
      ...rest,
      timeout: NO_TIMEOUT_MS,
      signal: this.#abort.signal,
      headers: { ...headers, [MARK]: this.mark },
    };
  }

  /** The SDK tells the server, and rejects with this error. */
  expired(error: SdkError): void {
    this.#abort.abort(error);
  }

  release(): void {
    if (this.#onAbort) this.options.signal?.removeEventListener('abort', this.#onAbort);
  }
}

/** The requests that the SDK is working on: which messages are theirs, their limits and their progress. */
export class SentRequests {
  readonly #byMark = new Map<string, SentRequest>();
  readonly #byId = new Map<unknown, SentRequest>();
  #last = 0;

  constructor(private readonly deadlines: Deadlines) {}

  begin(options: RequestOptions = {}, handling: RequestHandling = {}): SentRequest {
    const request = new SentRequest(String(++this.#last), options, handling);
    this.#byMark.set(request.mark, request);
    return request;
  }

  /** Nothing that comes for it is of interest any more. */
  end(request: SentRequest): void {
    this.deadlines.end(request);
    request.release();
    this.#byMark.delete(request.mark);
    this.#byId.delete(request.id);
  }

  /** Looks at a message of the SDK. @returns what is sent in its place, or undefined when that is nothing. */
  sending(sending: Sending, transport: ObservedTransport): Sending | undefined {
    const { message, options } = sending;
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
      // As if the server had been sent the request without them. The SDK has them answered and makes it again.
      const result = { resultType: 'input_required', inputRequests };
      queueMicrotask(() => transport.deliver({ jsonrpc: '2.0', id: message.id, result }));
      return undefined;
    }
    if (!request.onprogress) return { message, options: bare };
    const { params } = message;
    const told = { ...params, _meta: { ...params?._meta, progressToken: request.id } };
    return { message: { ...message, params: told }, options: bare };
  }

  /** Looks at an answer. @returns what the SDK is to get in its place. */
  answered(message: JSONRPCResponse): JSONRPCResponse {
    const request = this.#find(message.id);
    if (request?.state !== 'waiting') return message;
    request.state = 'answered';
    if (!('result' in message)) return message;
    if (isInputRequired(message.result)) {
      // The server waits for us now: its time goes on with the next message.
      request.state = 'inputRequired';
      this.deadlines.hold(request);
    }
    const result = request.handling.read?.(message.result) ?? message.result;
    return result === message.result ? message : ({ ...message, result } as JSONRPCResponse);
  }

  /** Takes a progress notification. False: it is for none of these requests, or not as specified. */
  progressed(params: Record<string, unknown> = {}): boolean {
    const request = this.#find(params.progressToken);
    const progress = request?.onprogress && progressOf(params);
    if (!progress) return false;
    this.deadlines.progress(request);
    request.onprogress?.(progress);
    return true;
  }

  /** Some servers make a string of a number. */
  #find(id: unknown): SentRequest | undefined {
    return this.#byId.get(id) ?? this.#byId.get(Number(id));
  }
}

/** Whether a server of the modern era asks for something before it answers (spec: basic/patterns/mrtr). */
export function isInputRequired(result: unknown): result is { readonly inputRequests?: unknown } {
  return (result as { resultType?: unknown } | null)?.resultType === 'input_required';
}
