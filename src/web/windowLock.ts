// In place of: features/auth/core/windowLock
import { Queues } from '../base/queue';

interface Locks {
  request<T>(name: string, run: () => Promise<T>): Promise<T>;
}

/** Keeps the windows of this browser from doing the same at once (Web Locks). */
export class WindowLock {
  readonly #locks = (globalThis.navigator as unknown as { locks?: Locks }).locks;
  readonly #queues = new Queues();

  constructor(private readonly name: string) {}

  /** Runs when no window runs something for this key. A lock that a browser has granted stays granted. */
  run<T>(key: string, run: (stillHeld: () => Promise<void>) => Promise<T>): Promise<T> {
    const locked = () => run(async () => {});
    return this.#locks ? this.#locks.request(`${this.name} ${key}`, locked) : this.#queues.run(key, locked);
  }
}
