import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, messageOf } from '../../base/errors';
import { readBounded, replaceFileSync } from '../../base/files';
import { parsedJson } from '../../base/json';
import { isAlive } from '../../base/processes';
import type { RunningProgram } from './keptPlaces';

/** How often a note says that its program still runs, in milliseconds. */
const BEAT_MS = 30_000;
const MAX_NOTE_BYTES = 16 * 1024 * 1024;

/** A program of any window. */
export interface NotedProgram extends RunningProgram {
  /** Process of its window. */
  readonly window: number;
}

/** The note of one program. */
export interface RunningNote {
  /** Replaces it, if anything has changed. */
  update(running: RunningProgram): void;
  /** Removes it: the program has ended, and its folders were looked through. */
  end(): void;
}

/**
 * Notes on disk about programs that run, of all windows. By these, what appeared in the folders of a program is found even if its
 * window ends first, and no other program takes that for the person's. No sandbox can change them.
 */
export class RunningNotes {
  constructor(private readonly storage: string) {}

  /** Writes a note. To be called before the program starts. */
  begin(running: RunningProgram): RunningNote {
    mkdirSync(this.storage, { recursive: true, mode: 0o700 });
    const path = join(this.storage, `${process.pid}-${randomBytes(8).toString('hex')}.json`);
    let written = JSON.stringify(running);
    replaceFileSync(path, written);
    const update = (changed: RunningProgram) => {
      const text = JSON.stringify(changed);
      if (text === written) return;
      try {
        replaceFileSync(path, text);
        written = text;
      } catch {
        // The disk is full. Others take less for the person's then, not more.
      }
    };
    const beat = setInterval(() => {
      const now = Date.now() / 1000;
      attempt(() => utimesSync(path, now, now)); // Another window took this one for gone.
    }, BEAT_MS).unref();
    return {
      update,
      end: () => {
        clearInterval(beat);
        rmSync(path, { force: true });
      },
    };
  }

  /** All programs with a note. Rejects if one can't be read. */
  async all(): Promise<NotedProgram[]> {
    const found: NotedProgram[] = [];
    for (const name of this.#names().filter(one => one.endsWith('.json'))) {
      try {
        const text = await readBounded(join(this.storage, name), MAX_NOTE_BYTES);
        found.push({ ...(JSON.parse(text) as RunningProgram), window: Number.parseInt(name, 10) });
      } catch (error) {
        // Without one it has ended since, and what it left was moved away.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    return found;
  }

  /**
   * Deals with the notes of windows that ended before their programs were looked after. One that can't be read stays, for a later
   * look.
   * @param look resolves with whether all could be looked through: else its note stays, too.
   * @param until when the program had ended at the latest, in milliseconds since 1970.
   * @param log for what can't be read, in English.
   */
  async settle(
    look: (running: RunningProgram, until: number) => Promise<boolean>,
    log: (text: string) => void,
  ): Promise<void> {
    for (const name of this.#names()) {
      if (isAlive(Number.parseInt(name, 10))) continue;
      const path = join(this.storage, name);
      try {
        const last = statSync(path).mtimeMs;
        // The draft of a note is of a program that had not started, or has an earlier note.
        const text = name.endsWith('.json') ? await readBounded(path, MAX_NOTE_BYTES) : undefined;
        const running = parsedJson(text ?? '') as RunningProgram | undefined;
        if (running && !(await look(running, last + 2 * BEAT_MS))) continue;
        if (text !== undefined && !running) log(`${path} is damaged: it isn't known what its program left`);
        rmSync(path, { force: true });
      } catch (error) {
        const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (!isGone) log(`${path} can't be read, so what its program left is looked for later: ${messageOf(error)}`);
      }
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.storage);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}
