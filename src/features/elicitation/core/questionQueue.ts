import { SERVER_ERROR } from '../../../base/errors';
import { Queues } from '../../../base/queue';

const MINUTE_MS = 60_000;

/** Tells the server why it is not answered. The SDK sends `code` and `message` as they are. */
export class RefusedQuestion extends Error {
  override readonly name = 'RefusedQuestion';
  constructor(
    message: string,
    readonly code = SERVER_ERROR,
  ) {
    super(message);
  }
}

interface QuestionLimits {
  /** The most questions of one server, including the open one. */
  waiting: number;
  perMinute: number;
}

/** The questions of servers to the person: one at a time for each server, and neither too many nor too often. */
export class QuestionQueue {
  readonly #queues = new Queues();
  readonly #times = new Map<string, number[]>();

  constructor(
    private readonly limits: QuestionLimits = { waiting: 5, perMinute: 20 },
    private readonly now: () => number = Date.now,
  ) {}

  /** Rejects with a `RefusedQuestion` when it is one too many, and as soon as `signal` is aborted. */
  async ask<T>(server: string, ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { waiting, perMinute } = this.limits;
    const now = this.now();
    const times = (this.#times.get(server) ?? []).filter(time => now - time < MINUTE_MS);
    if (this.#queues.length(server) >= waiting)
      throw new RefusedQuestion(`${waiting} questions are already waiting for the user`);
    if (times.length >= perMinute) throw new RefusedQuestion(`more than ${perMinute} questions in a minute`);
    this.#times.set(server, [...times, now]);
    // Who gives up while asked holds nobody up: what is left of the question may stay beside the next one.
    return this.#queues.run(server, () => abortable(ask(), signal), signal);
  }
}

/** The same promise, which rejects at once when `signal` is aborted. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
