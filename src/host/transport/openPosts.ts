import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

/** The POSTed requests that are waiting for an answer, each of which can be abandoned. */
export class Exchanges {
  readonly #aborts = new Map<RequestId, AbortController>();
  readonly #streams = new Map<RequestId, Promise<void>>();

  /** Registers a request. @returns the signal that ends it, triggered by its sender or by `abort`. */
  begin(id: RequestId, signal: AbortSignal | null | undefined): AbortSignal {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    return signal ? AbortSignal.any([signal, abort.signal]) : abort.signal;
  }

  /** To be called when its answer is a stream, which is read until `ended`. */
  streams(id: RequestId, ended: Promise<void>): void {
    this.#streams.set(id, ended);
    // A waiting caller gets the error; without one, it must not count as an unhandled rejection.
    ended.catch(() => {}).finally(() => this.end(id));
  }

  end(id: RequestId): void {
    this.#aborts.delete(id);
    this.#streams.delete(id);
  }

  /** Abandons a request and its connection. */
  abort(id: RequestId): void {
    this.#aborts.get(id)?.abort();
  }

  /** Resolves when the stream that answers a message has ended; immediately if there is none. Rejects with its fault. */
  async answered(message: JSONRPCMessage | JSONRPCMessage[]): Promise<void> {
    if (!Array.isArray(message) && 'id' in message && message.id !== undefined) await this.#streams.get(message.id);
  }
}
