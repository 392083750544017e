import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { access, mkdir, readdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt } from '../../../base/errors';
import { createFile } from '../../../base/files';
import { sha256 } from '../../../base/fingerprint';
import { isAlive } from '../../../base/processes';
import { Queues } from '../../../base/queue';

const POLL_MS = 50;
const BEAT_MS = 5_000;
/** How often a lock is seen not renewed before it is taken over: looks, not time, as a machine may sleep. */
const STALE_LOOKS = 1_200;

/** Processes that this one can look for: those of this machine, and of this container. */
const HERE = sha256(`${hostname()} ${pidNamespace()}`).slice(0, 16);

/**
 * Keeps the windows on this machine from doing the same at once. A lock is a folder with one file in it, which is named after
 * its owner: the folder appears with its file in it, by a rename; the owner renews the file's time; and who takes over from
 * one that has died or froze renames that very file, which only one can, and only as long as that owner is the owner.
 * (`proper-lockfile`, with 22 KB against 4 KB here, removes a stale lock by its name alone, so that two may get it; it has had no
 * release since 2021.)
 */
export class WindowLock {
  readonly #queues = new Queues();

  /** @param folder of the locks. @param limits for tests: how often a lock is renewed, and when it is taken over. */
  constructor(
    private readonly folder: string,
    private readonly limits = { beatMs: BEAT_MS, staleLooks: STALE_LOOKS },
  ) {}

  /**
   * Runs when no window runs something for this key.
   * @param run gets a function that rejects when the lock was lost, as after a long freeze of this window: to be called before
   * anything that must not be done twice. It is then run again from its beginning.
   */
  run<T>(key: string, run: (stillHeld: () => Promise<void>) => Promise<T>): Promise<T> {
    const locked = async () => {
      for (;;) {
        const held = await this.#take(key);
        try {
          const result = await run(() => held.check());
          if (!held.lost) return result;
        } catch (error) {
          // What failed for want of the lock may say so in other words.
          if (!held.lost) throw error;
        } finally {
          await held.release();
        }
      }
    };
    return this.#queues.run(key, locked);
  }

  async #take(key: string): Promise<HeldLock> {
    const lock = path.join(this.folder, sha256(key));
    const owner = `${process.pid}.${HERE}.${randomUUID()}`;
    const ours = `${lock}.${owner}`;
    await mkdir(ours, { recursive: true });
    await createFile(path.join(ours, owner), '');
    try {
      for (let [seen, looks] = ['', 0]; ; await delay(POLL_MS)) {
        if (await renamed(ours, lock)) break;
        const there = await look(lock);
        if (!there) continue;
        looks = there.state === seen ? looks + 1 : 0;
        seen = there.state;
        const isOver = hasEnded(there.owner) || looks >= this.limits.staleLooks;
        if (isOver && (await renamed(path.join(lock, there.owner), path.join(lock, owner)))) break;
      }
    } finally {
      await rm(ours, { recursive: true, force: true });
    }
    await this.#sweep(path.basename(lock));
    return new HeldLock(lock, owner, this.limits.beatMs);
  }

  /** Removes what those have left that died while they waited. */
  async #sweep(lock: string): Promise<void> {
    for (const name of await readdir(this.folder)) {
      if (name.startsWith(`${lock}.`) && hasEnded(name.slice(lock.length + 1)))
        await rm(path.join(this.folder, name), { recursive: true, force: true });
    }
  }
}

class HeldLock {
  lost = false;
  readonly #file: string;
  readonly #beat: NodeJS.Timeout;

  constructor(
    private readonly lock: string,
    owner: string,
    beatMs: number,
  ) {
    this.#file = path.join(lock, owner);
    const renew = () => void utimes(this.#file, new Date(), new Date()).catch(() => {});
    this.#beat = setInterval(renew, beatMs).unref();
    renew();
  }

  /** Rejects when another window has taken it over. */
  async check(): Promise<void> {
    try {
      await access(this.#file);
    } catch (error) {
      this.lost = true;
      throw error;
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#beat);
    // Only its own file, and the folder only if that is empty: another window may own it by now.
    await rm(this.#file).catch(() => {});
    await rmdir(this.lock).catch(() => {});
  }
}

/** The owner of a lock, and a text that differs after each renewal. Undefined if it is free by now. */
async function look(lock: string): Promise<{ owner: string; state: string } | undefined> {
  try {
    const [owner] = await readdir(lock);
    // Half-released: the empty folder would block the next rename, so remove it.
    if (owner === undefined) await rmdir(lock);
    else return { owner, state: `${owner} ${(await stat(path.join(lock, owner))).mtimeMs}` };
  } catch {
    // It was given back, taken, or taken over in this moment.
  }
  return undefined;
}

/** Whether it could be renamed: not when it is gone, or the other is there and not empty. */
async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (/^(ENOENT|EEXIST|ENOTEMPTY|EPERM|EACCES|EBUSY)$/.test((error as NodeJS.ErrnoException).code ?? ''))
      return false;
    throw error;
  }
}

/** Whether the process in an owner's name has ended. False when unknown. */
function hasEnded(owner: string): boolean {
  const [pid = '', where] = owner.split('.');
  return where === HERE && /^\d+$/.test(pid) && !isAlive(Number(pid));
}

function pidNamespace(): string {
  return attempt(() => readlinkSync('/proc/self/ns/pid'), '');
}
