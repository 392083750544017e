import type { Disposable } from '../../../base/events';

interface Request<T> {
  readonly answer: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

/** One request for all who ask for the same at once. It is cancelled when all of them have left. */
export class SharedRequests<T> implements Disposable {
  readonly #requests = new Map<string, Request<T>>();

  /** Sends, or waits with the others. Aborting `signal` rejects with its reason, whatever becomes of the request. */
  async ask(key: string, send: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const request = this.#requests.get(key) ?? this.#send(key, send);
    request.waiting++;
    if (!signal) return request.answer;
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason as Error);
        if (--request.waiting > 0) return;
        // Who asks after this wants an answer, not the end of this one.
        this.#end(key, request);
        request.abort.abort();
      };
      signal.addEventListener('abort', leave, { once: true });
      void request.answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  /** Who asks from now on gets an answer of its own; those that wait get theirs. */
  leave(key: string): void {
    this.#requests.delete(key);
  }

  dispose(): void {
    for (const { abort } of this.#requests.values()) abort.abort();
    this.#requests.clear();
  }

  #send(key: string, send: (signal: AbortSignal) => Promise<T>): Request<T> {
    const abort = new AbortController();
    const request: Request<T> = { answer: send(abort.signal), abort, waiting: 0 };
    this.#requests.set(key, request);
    const end = () => this.#end(key, request);
    request.answer.then(end, end);
    return request;
  }

  #end(key: string, request: Request<T>): void {
    if (this.#requests.get(key) === request) this.#requests.delete(key);
  }
}
