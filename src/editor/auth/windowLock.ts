import { createHash } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than anything that is done under a lock: its window has crashed. */
const STALE_MS = 60_000;
const RETRY_MS = 50;

/** Keeps the windows on this machine from doing the same at once: a folder is made by one of them only. */
export class WindowLock {
  readonly #queues = new Map<string, Promise<unknown>>();

  /** @param folder where the locks are. */
  constructor(private readonly folder: string) {}

  /** Runs when neither this window nor another one runs something for this key. */
  run<T>(key: string, run: () => Promise<T>): Promise<T> {
    const locked = async () => {
      const lock = await this.#take(key);
      try {
        return await run();
      } finally {
        await rm(lock, { recursive: true, force: true });
      }
    };
    const next = (this.#queues.get(key) ?? Promise.resolve()).then(locked, locked);
    this.#queues.set(key, next);
    return next;
  }

  async #take(key: string): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    const lock = path.join(this.folder, createHash('sha256').update(key).digest('hex'));
    for (;;) {
      try {
        await mkdir(lock);
        return lock;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > STALE_MS) await rm(lock, { recursive: true, force: true });
      else await delay(RETRY_MS);
    }
  }
}
