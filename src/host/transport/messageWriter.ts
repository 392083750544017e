import type { Writable } from 'node:stream';
import { PhraseError, phrase } from '../../base/phrase';

/** A message could not be handed to the server. Its phrase completes "could not …: ". */
export class WriteError extends PhraseError {
  override readonly name = 'WriteError';
}

/** Writes messages as lines. Those of one tick, and those that arrive while the pipe is full, go out in one write. */
export class MessageWriter {
  #queued = '';
  /** Settles with the write that `#queued` will be. */
  #next: PromiseWithResolvers<void> | undefined;
  #writing = false;
  #closed = false;

  /** @param maxQueued characters that may wait for a server. @param onWrite called with each written message. */
  constructor(
    private readonly stream: Writable,
    private readonly maxQueued: number,
    private readonly onWrite: (text: string) => void,
  ) {}

  /** Resolves when the pipe has it. Rejects if the server is gone, or has left too much unread. */
  write(message: object): Promise<void> {
    if (this.#closed || !this.stream.writable) return Promise.reject(new WriteError(phrase('it is not running')));
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#queued.length > 0 && this.#queued.length + text.length > this.maxQueued) {
      return Promise.reject(new WriteError(phrase('it does not read what is sent to it')));
    }
    this.onWrite(text);
    this.#queued += `${text}\n`;
    if (!this.#next) {
      this.#next = Promise.withResolvers();
      // A sender that does not wait must not crash the process.
      this.#next.promise.catch(() => {});
      if (!this.#writing) process.nextTick(this.#flush);
    }
    return this.#next.promise;
  }

  /** Writes what is queued, then ends the stream. */
  end(): void {
    this.#flush();
    this.#closed = true;
    this.stream.end();
  }

  readonly #flush = (): void => {
    const batch = this.#next;
    if (!batch) return;
    const text = this.#queued;
    this.#queued = '';
    this.#next = undefined;
    this.#writing = true;
    this.stream.write(text, error => {
      this.#writing = false;
      if (error) batch.reject(new WriteError(phrase('it no longer accepts messages'), { cause: error }));
      else batch.resolve();
      this.#flush();
    });
  };
}
