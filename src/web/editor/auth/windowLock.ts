interface Locks {
  request<T>(name: string, run: () => Promise<T>): Promise<T>;
}

/** Keeps the windows of this browser from doing the same at once (Web Locks). */
export class WindowLock {
  readonly #locks = (globalThis.navigator as unknown as { locks?: Locks }).locks;
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(private readonly name: string) {}

  /** Runs when neither this window nor another one runs something for this key. */
  run<T>(key: string, run: () => Promise<T>): Promise<T> {
    if (this.#locks) return this.#locks.request(`${this.name} ${key}`, run);
    const next = (this.#queues.get(key) ?? Promise.resolve()).then(run, run);
    this.#queues.set(key, next);
    return next;
  }
}
