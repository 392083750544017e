import {
  type CallToolRequest,
  type CallToolResult,
  DEFAULT_REQUEST_TIMEOUT_MSEC,
  type JSONRPCMessage,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { Numbered } from './numbered';
import { checkedToolResult, isPlainTextResult } from './toolResult';

/** Numbers of messages: far from those that the SDK counts from 0, and small enough for a server that reads 32 bits. */
const FIRST_ID = 1_000_000_000;

interface Call {
  readonly resolve: (result: CallToolResult | Promise<CallToolResult>) => void;
  readonly reject: (error: unknown) => void;
  readonly options: RequestOptions;
  startedAt: number;
  /** When it counts as unanswered; this and `startedAt` in milliseconds of `performance.now()`. */
  deadline: number;
  /** How often its clock is stopped, and since when it stands still: see `hold`. */
  holds?: number;
  heldSince?: number;
  readonly onAbort: (() => void) | undefined;
}

/**
 * Sends `tools/call` of the legacy era beside the SDK's client, on the same transport: the SDK needs five times as long, for
 * a timer, four entries in maps and three schemas for each. Options, results and errors are as with the SDK.
 */
export class ToolLane {
  readonly #calls = new Numbered<Call>(FIRST_ID);
  /** One for all: it comes at the earliest deadline that there was when it was set. */
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(private readonly transport: Transport) {}

  /** Calls a tool (spec: server/tools#calling-tools). */
  call(params: CallToolRequest['params'], options: RequestOptions = {}): Promise<CallToolResult> {
    const { signal, onprogress, timeout = DEFAULT_REQUEST_TIMEOUT_MSEC } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(errorOf(signal.reason));
      const onAbort = signal && (() => this.#cancel(id, signal.reason));
      signal?.addEventListener('abort', onAbort!);
      const startedAt = performance.now();
      const deadline = startedAt + timeout;
      const id = this.#calls.add({ resolve, reject, options, startedAt, deadline, onAbort });
      if (deadline < this.#timerAt) this.#watch(deadline);
      const told = onprogress ? { ...params, _meta: { ...params._meta, progressToken: id } } : params;
      this.transport
        .send({ jsonrpc: '2.0', id, method: 'tools/call', params: told } as JSONRPCMessage)
        .catch(error => this.#take(id)?.reject(error));
    });
  }

  /** Takes a message that concerns one of its calls. False: it does not, or not in a form that could be used. */
  receive(message: JSONRPCMessage): boolean {
    if ('method' in message) return message.method === 'notifications/progress' && this.#onProgress(message.params);
    const id = Number(message.id);
    if (!this.#calls.get(id)) return false;
    if ('result' in message) {
      const { result } = message;
      if (typeof result !== 'object' || result === null) return false;
      this.#take(id)?.resolve(isPlainTextResult(result) ? result : checkedToolResult(result));
      return true;
    }
    const { code, message: text, data } = message.error;
    this.#take(id)?.reject(ProtocolError.fromError(code, text, data));
    return true;
  }

  /**
   * Stops the clock of the calls in flight until what is returned is called: a person is being asked something. When more
   * is asked meanwhile, the clock of a call stands still until the last of what was asked while it was in flight. Calls
   * that begin later have nothing to do with the question, and keep their limits.
   */
  hold(): () => void {
    const held = this.#calls.entries();
    const since = performance.now();
    for (const [, call] of held) {
      call.holds = (call.holds ?? 0) + 1;
      if (call.holds === 1) call.heldSince = since;
    }
    return () => {
      const now = performance.now();
      // Emptied: calling this twice must not end another hold.
      for (const [id, call] of held.splice(0)) {
        if (this.#calls.get(id) !== call) continue;
        call.holds!--;
        if (call.holds !== 0) continue;
        const { timeout = DEFAULT_REQUEST_TIMEOUT_MSEC } = call.options;
        call.startedAt += now - call.heldSince!;
        call.deadline = now + timeout;
        if (call.deadline < this.#timerAt) this.#watch(call.deadline);
      }
    };
  }

  /** The connection is gone: no call is answered any more. */
  close(): void {
    clearTimeout(this.#timer);
    for (const [id] of this.#calls.entries()) {
      this.#take(id)?.reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
    }
  }

  /** A sign of life moves the limit (spec: basic/lifecycle#timeouts), but never beyond the limit of the whole. */
  #onProgress(params: Record<string, unknown> = {}): boolean {
    const { progressToken, progress, total, message } = params;
    const id = Number(progressToken);
    const call = this.#calls.get(id);
    const isSpecified =
      typeof progress === 'number' &&
      (total === undefined || typeof total === 'number') &&
      (message === undefined || typeof message === 'string');
    if (!call || !isSpecified) return false;
    const {
      timeout = DEFAULT_REQUEST_TIMEOUT_MSEC,
      maxTotalTimeout,
      resetTimeoutOnProgress,
      onprogress,
    } = call.options;
    if (resetTimeoutOnProgress) {
      const latest = maxTotalTimeout ? call.startedAt + maxTotalTimeout : Number.POSITIVE_INFINITY;
      call.deadline = Math.min(performance.now() + timeout, latest);
    }
    onprogress?.({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
    return true;
  }

  #watch(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#look(), Math.max(1, Math.ceil(at - performance.now())));
    // It outlasts the calls, and must not keep the process.
    this.#timer.unref();
  }

  #look(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const [id, { deadline, holds, options }] of this.#calls.entries()) {
      if (holds) continue;
      const { timeout = DEFAULT_REQUEST_TIMEOUT_MSEC } = options;
      if (deadline > now) this.#watch(Math.min(deadline, this.#timerAt));
      else this.#cancel(id, new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', { timeout }));
    }
  }

  /** Gives a call up and tells the server (spec: basic/utilities/cancellation). */
  #cancel(id: number, why: unknown): void {
    const call = this.#take(id);
    if (!call) return;
    const params = { requestId: id, reason: String(why) };
    this.transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
    call.reject(errorOf(why));
  }

  #take(id: number): Call | undefined {
    const call = this.#calls.take(id);
    if (call?.onAbort) call.options.signal?.removeEventListener('abort', call.onAbort);
    return call;
  }
}

function errorOf(why: unknown): SdkError {
  return why instanceof SdkError ? why : new SdkError(SdkErrorCode.RequestTimeout, String(why));
}
