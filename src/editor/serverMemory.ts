import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import * as path from 'node:path';
import { Queues } from '../base/queue';
import { replaceFile } from '../base/writeFiles';
import type { MemoryPort } from '../host/definition';

interface MemoryLimits {
  /**
   * After this time without being read, a value counts as that of a server that is no longer configured. In milliseconds;
   * default: 30 days.
   */
  keptMs?: number;
  /** A value that is larger is not kept. */
  maxBytes?: number;
}

/** Keeps what is remembered about servers as JSON files in a folder of the extension, one for each key. */
export class ServerMemory implements MemoryPort {
  #ready: Promise<unknown> | undefined;
  /** Each key in turn: a server that is removed and added again finds what it had. */
  readonly #turns = new Queues();

  constructor(
    private readonly folder: string,
    private readonly limits: MemoryLimits = {},
  ) {}

  read(key: string): Promise<unknown> {
    return this.#turns.run(key, () => this.#read(key));
  }

  write(key: string, value: unknown): Promise<void> {
    return this.#turns.run(key, () => this.#write(key, value));
  }

  async #read(key: string): Promise<unknown> {
    const file = this.#file(key);
    try {
      const value: unknown = JSON.parse(await readFile(file, 'utf8'));
      const now = new Date();
      void utimes(file, now, now).catch(() => {});
      return value;
    } catch {
      return undefined;
    }
  }

  async #write(key: string, value: unknown): Promise<void> {
    const file = this.#file(key);
    try {
      this.#ready ??= mkdir(this.folder, { recursive: true, mode: 0o700 }).then(() => this.#prune());
      await this.#ready;
      const text = value === undefined ? undefined : JSON.stringify(value);
      if (text === undefined || text.length > (this.limits.maxBytes ?? 8 * 1024 * 1024)) {
        await rm(file, { force: true });
        return;
      }
      // Two windows may write at once: every file is one complete version.
      await replaceFile(file, text, 0o600);
    } catch {
      // A full or read-only disk only costs the next start some time.
    }
  }

  #file(key: string): string {
    return path.join(this.folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  }

  async #prune(): Promise<void> {
    const { keptMs = 30 * 24 * 3_600_000 } = this.limits;
    const now = Date.now();
    for (const name of await readdir(this.folder)) {
      const file = path.join(this.folder, name);
      const { mtimeMs } = await stat(file);
      if (now - mtimeMs > keptMs) await rm(file, { force: true });
    }
  }
}
