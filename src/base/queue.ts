import { type Disposable, Emitter } from './events';

/** Why somebody gets no turn. */
export type Refusal = 'aborted' | 'disposed' | 'full' | 'timeout';

interface QueueOptions {
  /** How many have a turn at once. Default: one. */
  readonly limit?: number;
  /** How many may wait. Default: any number. */
  readonly maxWaiting?: number;
  /** The error of `run` in place of the reason of the signal. */
  readonly refused?: (refusal: Refusal) => Error;
}

/**
 * Lets one at a time through, or as many as `limit` says, and the others in the order in which they came. Whoever fails or
 * gives up holds nobody up. To enter when nobody is before costs one comparison; only somebody who waits gets a timer.
 */
export class Queue implements Disposable {
  #limit: number;
  #inside = 0;
  #disposed = false;
  /** In the order in which they came; a set, so that one that gives up leaves without a search. */
  readonly #waiting = new Set<(refusal?: Refusal) => void>();
  readonly #changed = new Emitter<void>();
  /** The number of those that wait has changed. */
  readonly onDidChange = this.#changed.event;

  constructor(private readonly options: QueueOptions = {}) {
    this.#limit = options.limit ?? 1;
  }

  set limit(limit: number) {
    if (this.#disposed) return;
    this.#limit = limit;
    this.#admit();
  }

  /** How many have a turn or wait for one. */
  get length(): number {
    return this.#inside + this.#waiting.size;
  }

  /** How many wait for a turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Runs a task when its turn comes, never before this has returned. Rejects as the task does; with the reason of the signal
   * if that is aborted before the task has begun, after which only the task itself can heed it.
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let refusal = await (this.tryEnter() ? undefined : this.wait(signal));
    if (!refusal && signal?.aborted) {
      this.leave();
      refusal = 'aborted';
    }
    if (refusal) throw this.options.refused?.(refusal) ?? signal?.reason ?? new Error(refusal);
    try {
      return await task();
    } finally {
      this.leave();
    }
  }

  /** Takes a turn immediately. False if there is none: then call `wait`. Each turn must be given back with `leave`. */
  tryEnter(): boolean {
    if (this.#inside >= this.#limit) return false;
    this.#inside++;
    return true;
  }

  /** Waits for a turn, at most `limitMs`. Resolves with undefined if it got one, otherwise with the reason. */
  wait(signal?: AbortSignal, limitMs?: number): Promise<Refusal | undefined> {
    const { maxWaiting = Number.POSITIVE_INFINITY } = this.options;
    if (this.#disposed) return Promise.resolve('disposed');
    if (signal?.aborted) return Promise.resolve('aborted');
    if (this.#waiting.size >= maxWaiting) return Promise.resolve('full');
    return new Promise(resolve => {
      const finish = (refusal?: Refusal) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(finish);
        this.#changed.fire();
        resolve(refusal);
      };
      const abort = () => finish('aborted');
      const timer = limitMs === undefined ? undefined : setTimeout(finish, limitMs, 'timeout');
      signal?.addEventListener('abort', abort);
      this.#waiting.add(finish);
      this.#changed.fire();
    });
  }

  /** Gives a turn back. */
  leave(): void {
    this.#inside--;
    if (this.#waiting.size > 0) this.#admit();
  }

  /** Nobody gets a turn any more. Who has one keeps it. */
  dispose(): void {
    this.#disposed = true;
    this.#limit = 0;
    for (const finish of this.#waiting) finish('disposed');
  }

  #admit(): void {
    for (const finish of this.#waiting) {
      if (this.#inside >= this.#limit) return;
      this.#inside++;
      finish();
    }
  }
}

/** A queue for each key, for as long as somebody is in it. */
export class Queues {
  readonly #byKey = new Map<string, Queue>();

  /** How many are in the queue of this key. */
  length(key: string): number {
    return this.#byKey.get(key)?.length ?? 0;
  }

  /** As `Queue.run`. */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const queue = this.#byKey.get(key) ?? new Queue();
    this.#byKey.set(key, queue);
    try {
      return await queue.run(task, signal);
    } finally {
      if (queue.length === 0) this.#byKey.delete(key);
    }
  }
}
