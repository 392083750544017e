import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

/** The POSTed requests that wait for their answers, each of which can be given up. */
export class Exchanges {
  readonly #aborts = new Map<RequestId, AbortController>();
  readonly #streams = new Map<RequestId, Promise<void>>();

  /** Notes a request. @returns the signal that ends it: that of its sender, or `abort`. */
  begin(id: RequestId, signal: AbortSignal | null | undefined): AbortSignal {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    return signal ? AbortSignal.any([signal, abort.signal]) : abort.signal;
  }

  /** Its answer is a stream, which is read until `ended`. */
  streams(id: RequestId, ended: Promise<void>): void {
    this.#streams.set(id, ended);
    // Whoever waits hears of it; if nobody does, nobody is to be blamed.
    ended.catch(() => {}).finally(() => this.end(id));
  }

  end(id: RequestId): void {
    this.#aborts.delete(id);
    this.#streams.delete(id);
  }

  /** Gives a request up: its connection is let go. */
  abort(id: RequestId): void {
    this.#aborts.get(id)?.abort();
  }

  /** Resolves when the stream that answers a message has ended; at once where there is none. Rejects with its fault. */
  async answered(message: JSONRPCMessage | JSONRPCMessage[]): Promise<void> {
    if (!Array.isArray(message) && 'id' in message && message.id !== undefined) await this.#streams.get(message.id);
  }
}
