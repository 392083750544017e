import { Emitter } from '../../../base/events';
import { SamplingError } from './samplingError';

/** One thing after the other; no more than `maxWaiting` wait. */
export class SamplingQueue {
  readonly #changed = new Emitter<void>();
  /** The number of those that wait has changed. */
  readonly onDidChange = this.#changed.event;
  readonly #waiting = new Set<() => void>();
  #running = false;

  constructor(private readonly maxWaiting: number) {}

  /** How many wait behind the one whose turn it is. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs `task` when its turn comes. Rejects at once when too many wait, and when `signal` is aborted while it waits. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    if (signal.aborted) throw SamplingError.cancelled();
    if (this.#running) await this.#turn(signal);
    this.#running = true;
    try {
      return await task();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#running = false;
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.maxWaiting) {
      throw SamplingError.limited(`${this.#waiting.size} other requests are waiting for a review. Try again later`);
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(next);
        signal.removeEventListener('abort', abort);
        this.#changed.fire();
      };
      const next = () => {
        leave();
        resolve();
      };
      const abort = () => {
        leave();
        reject(SamplingError.cancelled());
      };
      this.#waiting.add(next);
      signal.addEventListener('abort', abort);
      this.#changed.fire();
    });
  }
}
