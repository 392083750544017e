import type { Behaviour, Outgoing } from './behaviour';
import {
  ErrorCode,
  errorAnswer,
  isObject,
  type Json,
  type JsonObject,
  type Message,
  parseMessage,
  type RequestId,
  RpcError,
} from './messages';
import { methods } from './methods';
import type { Call } from './offer';

/** Where a session writes. */
export interface Wire {
  /**
   * Writes texts that belong together, each a message or not. `relatedTo` is the client's request during which they are
   * sent (over HTTP they go on its stream); `final` says that they end the answer to it.
   */
  write(texts: string[], relatedTo: RequestId | undefined, final: boolean): void;
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/**
 * One client's conversation, in hand-written JSON-RPC so that anything at all can be said on the wire. It knows no
 * transport and no fault: see `Wire` and `Behaviour`.
 */
export class RawSession {
  /** The client's capabilities, once it has sent `initialize`. */
  clientCapabilities: JsonObject | undefined;
  /** Least severe level that is sent: everything until the client says otherwise, nothing at a word that is none. */
  logLevel = 'debug';
  private nextId = 1;
  private readonly running = new Map<RequestId, AbortController>();
  private readonly asked = new Map<RequestId, { resolve: (result: Json) => void; reject: (error: RpcError) => void }>();

  constructor(
    readonly behaviour: Behaviour,
    private readonly wire: Wire,
  ) {}

  /** Takes one message as text. Bad text is answered as JSON-RPC demands, with a null id. */
  receive(text: string, headers: JsonObject = {}): void {
    let message: Message;
    try {
      message = parseMessage(text);
    } catch (error) {
      this.send(errorAnswer(null, error));
      return;
    }
    if (message.method === 'initialize') this.clientCapabilities = capabilitiesOf(message);
    if (this.behaviour.incoming.some(hook => hook(message, this) === 'handled')) return;
    if (message.method === undefined) this.settle(message);
    else if (message.id === undefined || message.id === null) this.notified(message);
    else void this.answer(message.method, message.id, message.params ?? {}, headers);
  }

  /** Sends a message, or any text at all, through the outgoing hooks. */
  send(outgoing: Outgoing, relatedTo?: RequestId, final = false): void {
    let all = [outgoing];
    for (const hook of this.behaviour.outgoing) all = all.flatMap(one => hook(one, this));
    const texts = all.map(one => (typeof one === 'string' ? one : JSON.stringify(one)));
    this.wire.write(texts, relatedTo, final);
  }

  notify(method: string, params?: JsonObject, relatedTo?: RequestId): void {
    this.send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) }, relatedTo);
  }

  /** Sends `notifications/message` if the client's level lets it through. */
  log(level: string, logger: string, data: Json, relatedTo?: RequestId): void {
    const least = levels.indexOf(this.logLevel);
    if (least < 0 || levels.indexOf(level) < least) return;
    this.notify('notifications/message', { level, logger, data }, relatedTo);
  }

  /** Asks the client. Rejects with an `RpcError` when it answers with an error; waits for ever when it does not answer. */
  request(method: string, params?: JsonObject): Promise<Json> {
    const id = `server-${this.nextId++}`;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      this.send({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
    });
  }

  private async answer(method: string, id: RequestId, params: JsonObject, headers: JsonObject): Promise<void> {
    const aborter = new AbortController();
    this.running.set(id, aborter);
    try {
      // Own keys only: `constructor` is not a method, whatever a client may ask.
      const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (!handler) throw new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`);
      const result = await handler(params, this, this.callFor(id, params, headers, aborter.signal));
      this.send({ jsonrpc: '2.0', id, result }, id, true);
    } catch (error) {
      // A cancelled request is not answered; a stream that was kept open for it ends.
      if (aborter.signal.aborted) this.wire.write([], id, true);
      else this.send(errorAnswer(id, error), id, true);
    } finally {
      this.running.delete(id);
    }
  }

  private callFor(id: RequestId, params: JsonObject, headers: JsonObject, signal: AbortSignal): Call {
    const token = isObject(params._meta) ? params._meta.progressToken : undefined;
    return {
      signal,
      headers,
      progress: (progress, total, message) => {
        if (token === undefined) return;
        this.notify('notifications/progress', { progressToken: token, progress, total, message }, id);
      },
      log: (level, logger, data) => this.log(level, logger, data, id),
    };
  }

  private notified(message: Message): void {
    if (message.method !== 'notifications/cancelled') return;
    this.running.get(message.params?.requestId as RequestId)?.abort();
  }

  private settle(message: Message): void {
    const asked = this.asked.get(message.id as RequestId);
    this.asked.delete(message.id as RequestId);
    if (message.error) asked?.reject(new RpcError(message.error.code, message.error.message, message.error.data));
    else asked?.resolve(message.result ?? null);
  }
}

function capabilitiesOf(message: Message): JsonObject {
  return isObject(message.params?.capabilities) ? message.params.capabilities : {};
}
