import { type Disposable, getOrInsert } from './events';

/** Why a task got no turn. */
type Refusal = 'aborted' | 'disposed' | 'full' | 'timeout';

interface QueueOptions {
  /** How many have a turn at once. Default: one. */
  readonly limit?: number;
  /** How many may wait. Default: any number. */
  readonly maxWaiting?: number;
  /** The error of `run` in place of the reason of the signal. */
  readonly refused?: (refusal: Refusal) => Error;
}

/**
 * Runs tasks one at a time, or `limit` at once, in the order in which they arrive. A task that fails or is aborted does not
 * block the others. Entering an idle queue costs one comparison; only a caller that has to wait gets a timer.
 */
export class Queue implements Disposable {
  #limit: number;
  #inside = 0;
  #disposed = false;
  /** In order of arrival; a set, so that an aborted task is removed without a search. */
  readonly #waiting = new Set<(refusal?: Refusal) => void>();

  constructor(private readonly options: QueueOptions = {}) {
    this.#limit = options.limit ?? 1;
  }

  set limit(limit: number) {
    if (this.#disposed) return;
    this.#limit = limit;
    this.#admit();
  }

  /** Number of tasks that have a turn or wait for one. */
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
        resolve(refusal);
      };
      const abort = () => finish('aborted');
      const timer = limitMs === undefined ? undefined : setTimeout(finish, limitMs, 'timeout');
      signal?.addEventListener('abort', abort);
      this.#waiting.add(finish);
    });
  }

  /** Gives a turn back. */
  leave(): void {
    this.#inside--;
    if (this.#waiting.size > 0) this.#admit();
  }

  /** Refuses all further turns. Current ones continue. */
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

/** A queue for each key, kept while it has tasks. */
export class Queues {
  readonly #byKey = new Map<string, Queue>();

  length(key: string): number {
    return this.#byKey.get(key)?.length ?? 0;
  }

  /** As `Queue.run`. */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const queue = getOrInsert(this.#byKey, key, () => new Queue());
    try {
      return await queue.run(task, signal);
    } finally {
      if (queue.length === 0) this.#byKey.delete(key);
    }
  }
}

interface CoalescerOptions {
  /** Runs after this long without a further trigger, in milliseconds. */
  quietMs: number;
  /** Runs at the latest this long after the first trigger, in milliseconds: a steady stream must not starve it. */
  maxMs: number;
}

/** Runs an action once for a burst of triggers. */
export class Coalescer {
  #timer: NodeJS.Timeout | undefined;
  #deadline = 0;
  #last = 0;

  constructor(
    private readonly action: () => void,
    private readonly options: CoalescerOptions,
  ) {}

  trigger(): void {
    const { quietMs, maxMs } = this.options;
    const isWaiting = this.#timer !== undefined;
    if (isWaiting && quietMs >= maxMs) return;
    this.#last = performance.now();
    if (isWaiting) return;
    this.#deadline = this.#last + maxMs;
    this.#wait(this.#last);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  dispose(): void {
    this.cancel();
  }

  /** One timer for many triggers: setting one for each would cost more than all else when messages pour in. */
  #wait(now: number): void {
    const delay = Math.min(this.#last + this.options.quietMs, this.#deadline) - now;
    this.#timer = setTimeout(
      () => {
        const later = performance.now();
        if (later < Math.min(this.#last + this.options.quietMs, this.#deadline)) return this.#wait(later);
        this.#timer = undefined;
        this.action();
      },
      Math.max(0, delay),
    );
  }
}

/**
 * Runs something that ends with its signal: when one of `signals` does, or after `limitMs`, with a `TimeoutError` as the
 * reason. In place of `AbortSignal.any` with `AbortSignal.timeout`, which Node 22.15 and others collect as garbage, so that
 * the limit never comes.
 */
export async function limited<T>(
  limitMs: number,
  signals: readonly AbortSignal[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new DOMException(`${limitMs} ms are over`, 'TimeoutError')), limitMs);
  const abort = ({ target }: Event) => over.abort((target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) over.abort(signal.reason);
    signal.addEventListener('abort', abort);
  }
  try {
    return await run(over.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
}

/** As the promise, unless the signal is aborted before: then it rejects with that reason, whatever becomes of the promise. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal, reason = () => signal.reason): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(reason());
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Resolves when the signal is aborted. */
export function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Resolves as a promise does; with something else if that takes longer than `limitMs`. */
export async function within<T, O>(promise: Promise<T>, limitMs: number, otherwise: O): Promise<T | O> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<O>(resolve => {
    timer = setTimeout(resolve, limitMs, otherwise).unref();
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
