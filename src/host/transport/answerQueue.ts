import { lengthOf } from '../../base/json';
import { phrase } from '../../base/phrase';
import { Queue } from '../../base/queue';
import { WriteError } from './messageWriter';

/** Over HTTP, each is a connection of its own until the server has taken it. */
const MAX_AT_ONCE = 32;
const MAX_WAITING = 10_000;

const unread = () => new WriteError(phrase('it does not read what is sent to it'));

/** Answers to what a server asks, of which it may ask any number and take none. */
export class AnswerQueue {
  readonly #queue = new Queue({ limit: MAX_AT_ONCE, maxWaiting: MAX_WAITING, refused: unread });
  #length = 0;

  /** @param maxLength how many characters may wait for a server that does not read. */
  constructor(private readonly maxLength: number) {}

  /** Sends an answer when its turn comes. Rejects if the server has left so much unread that nothing more is kept for it. */
  async send(answer: object, send: () => Promise<void>): Promise<void> {
    const length = lengthOf(answer);
    if (this.#length > 0 && this.#length + length > this.maxLength) throw unread();
    this.#length += length;
    try {
      await this.#queue.run(send);
    } finally {
      this.#length -= length;
    }
  }

  /** Those that wait are not sent any more. */
  close(): void {
    this.#queue.dispose();
  }
}
