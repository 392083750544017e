import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { readBounded, replaceFileSync } from '../../base/files';
import { isAlive } from '../../base/processes';
import type { WatchedFolder } from './obeyedPlaces';
import { entriesOf } from './onDisk';

/** How often a note says that its program still runs, in milliseconds. */
const BEAT_MS = 30_000;
const MAX_NOTE_BYTES = 16 * 1024 * 1024;

/** What a program that runs may change, and what was there before. */
export interface RunningProgram {
  readonly program: string;
  readonly folders: readonly WatchedFolder[];
  readonly mayAppear: readonly string[];
}

/**
 * Notes on disk about programs that run, so that what appeared in their folders is found even if this window ends first. No
 * sandbox can change them.
 */
export class RunningNotes {
  constructor(private readonly storage: string) {}

  /** Writes a note. @returns a function that removes it: the program has ended, and its folders were looked through */
  begin(running: RunningProgram): () => void {
    mkdirSync(this.storage, { recursive: true, mode: 0o700 });
    const path = join(this.storage, `${process.pid}-${randomBytes(8).toString('hex')}.json`);
    replaceFileSync(path, JSON.stringify(running));
    const beat = setInterval(() => {
      const now = Date.now() / 1000;
      try {
        utimesSync(path, now, now);
      } catch {
        // Another window took this one for gone.
      }
    }, BEAT_MS).unref();
    return () => {
      clearInterval(beat);
      rmSync(path, { force: true });
    };
  }

  /**
   * Deals with the notes of windows that ended before their programs were looked after.
   * @param until when the program had ended at the latest, in milliseconds since 1970.
   */
  async settle(look: (running: RunningProgram, until: number) => Promise<void>): Promise<void> {
    for (const name of entriesOf(this.storage)) {
      const path = join(this.storage, name);
      const last = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
      if (last === undefined || isAlive(Number.parseInt(name, 10))) continue;
      const text = await readBounded(path, MAX_NOTE_BYTES).catch(() => undefined);
      if (text !== undefined) await look(JSON.parse(text) as RunningProgram, last + 2 * BEAT_MS);
      rmSync(path, { force: true });
    }
  }
}
