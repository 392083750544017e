import {
  type CallToolRequest,
  type CallToolResult,
  type JSONRPCMessage,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client';
import { Deadline, type Deadlines } from './deadlines';
import { progressOf } from './progress';
import { RequestTable } from './requestTable';
import { checkedToolResult, isPlainTextResult } from './toolResult';

/**
 * Ids of our requests start here: far from those of the SDK, which counts from 0, and small enough for a server that reads
 * 32 bits.
 */
const FIRST_ID = 1_000_000_000;

class Call extends Deadline {
  id = 0;
  onAbort: (() => void) | undefined;

  constructor(
    readonly options: RequestOptions,
    readonly resolve: (result: CallToolResult | Promise<CallToolResult>) => void,
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
 * Sends `tools/call` in the legacy era without the SDK's client, on the same transport: the SDK takes five times as long,
 * for a timer, four map entries and three schema checks per call. Options, results and errors are the same as with the SDK.
 */
export class DirectCalls {
  readonly #calls = new RequestTable<Call>(FIRST_ID);
  readonly #cancel = (call: Call, why: unknown) => this.#giveUp(call, why);

  constructor(
    private readonly transport: Pick<Transport, 'send'>,
    private readonly deadlines: Deadlines,
    /** Called when a request with this method is given up, with the reason. */
    private readonly cancelled: (method: string, reason: unknown) => void,
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
      this.#take(id)?.resolve(isPlainTextResult(result) ? result : checkedToolResult(result));
      return true;
    }
    const { code, message: text, data } = message.error;
    this.#take(id)?.reject(ProtocolError.fromError(code, text, data));
    return true;
  }

  /** To be called when the connection is gone: no call will be answered any more. */
  close(): void {
    for (const [id] of this.#calls.entries()) {
      this.#take(id)?.reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
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
    this.cancelled('tools/call', why);
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
