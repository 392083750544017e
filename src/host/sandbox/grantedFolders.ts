import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { messageOf } from '../../base/errors';
import { Queue } from '../../base/queue';
import { visible } from '../../base/text';
import { type AppearedPlace, SandboxAttempts } from './attempts';
import { reopenFolder } from './heldFolder';
import {
  identityOf,
  isWithoutStandIn,
  keyOf,
  obeyedIn,
  trackedSafely,
  type WatchedFolder,
  whereLeads,
} from './keptPlaces';
import { KEPT_FOLDERS } from './knownPlaces';
import { isEmptyFolder, linkKind } from './onDisk';
import { type NotedProgram, type RunningNote, RunningNotes } from './runningNotes';
import { SetAside, type SetAsidePlace } from './setAside';

/** Where what appeared lies, and where it is noted which programs run. */
const placesIn = (storage: string) => ({
  aside: new SetAside(join(storage, 'items')),
  notes: new RunningNotes(join(storage, 'running')),
});

/** What watching the folders of a program takes. */
export interface Watching {
  /** See `ConfineOptions.aside`. */
  readonly storage: string;
  /** Identifies the program: see `sandboxIdentity`. */
  readonly program: string;
  /** See `RunningProgram`. */
  readonly writable: readonly string[];
  /** Paths that may appear: the entry names them, or the person kept them before. */
  readonly mayAppear: readonly string[];
  readonly attempts: SandboxAttempts;
  /** Watches a folder. @returns what ends that. Absent: folders are looked through when the program does something. */
  watch?(folder: string, changed: () => void): () => void;
  /** How often the folders are looked through at least, in milliseconds. Default: half a minute. */
  readonly everyMs?: number;
  /** For its log, in English. */
  note(text: string): void;
  /** Ends the program. */
  kill(): void;
}

/** All programs that run now and may change folders, of all windows. */
export const runningPrograms = (storage: string): Promise<readonly NotedProgram[]> => placesIn(storage).notes.all();

/** Looks through the folders of programs whose window ended before they did. @param log for notes that can't be read, in English */
export async function settleBefore(storage: string, log: (text: string) => void): Promise<void> {
  await GrantedFolders.settled();
  await placesIn(storage).notes.settle(async ({ folders, ...running }, until) => {
    // The program has ended and can't be told.
    const untold = { attempts: new SandboxAttempts(), note: () => {}, kill: () => {} };
    return new GrantedFolders(folders, { storage, ...running, ...untold }, { until }).end();
  }, log);
}

/**
 * Watches the folders that a program may change, from its start to its end: see `GrantedFolders`. To be called before it starts,
 * when the empty folders are there that keep places from being made.
 */
export async function watchGranted(
  granting: readonly WatchedFolder[],
  watching: Watching,
): Promise<Pick<GrantedFolders, 'lives'> & { end(): Promise<unknown> }> {
  const { storage, program, writable, mayAppear, attempts } = watching;
  const folders = granting.map(folder => ({ ...folder, standIns: standInsOf(folder) }));
  const { aside, notes } = placesIn(storage);
  const note = folders.length > 0 ? notes.begin({ program, folders, writable, mayAppear }) : undefined;
  const granted = new GrantedFolders(folders, watching, { note });
  const open = await aside.all(
    program,
    folders.map(({ path }) => path),
  );
  attempts.appeared.add(open.map(place => granted.decisionOn(place)));
  if (folders.length === 0) return granted;
  const ends = folders.flatMap(({ path }) => watching.watch?.(path, () => granted.changed()) ?? []);
  return {
    lives: () => granted.lives(),
    end: async () => {
      // Else what appeared stays new for all programs, and is looked for again when this window is gone.
      if (await granted.end()) note?.end();
      for (const end of ends) end();
    },
  };
}

/** The most things kept of one program, or in its folders, that the person has not decided on. */
const MAX_SET_ASIDE = 100;
/** How long after a sign of life the folders are looked through, in milliseconds: what is made may be made of several parts. */
const SOON_MS = 300;
const EVERY_MS = 30_000;
/** Of the time, at most one part in so many is spent on that. */
const SHARE = 10;
const PER_TURN = 20;
/** The most folders that are searched for what a program has left: as many as it may have made before it was ended. */
const MAX_SEARCHED = 2_000_000;

/**
 * Watches the folders that a confined program may change. What appears there for other programs to obey is moved away, until the
 * person decides on it. Nobody can tell who made something: what the person's git put there stays.
 */
class GrantedFolders {
  static readonly #live = new Set<GrantedFolders>();
  static readonly #ending = new Set<Promise<boolean>>();
  readonly #queue = new Queue();
  readonly #mayAppear: Set<string>;
  readonly #folders: WatchedFolder[];
  readonly #aside: SetAside;
  #timer: NodeJS.Timeout | undefined;
  #regular: NodeJS.Timeout | undefined;
  #restsUntil = 0;
  #isRunning = false;
  /** How many things were moved away, and how many could not be. */
  #moved = 0;
  #unmoved = 0;
  #hasEnded = false;

  /** @param until ignores what appeared later, in milliseconds since 1970. Absent: the program is still running. */
  constructor(
    folders: readonly WatchedFolder[],
    private readonly watching: Watching,
    private readonly noted: { readonly note?: RunningNote | undefined; readonly until?: number },
  ) {
    this.#folders = [...folders];
    this.#aside = placesIn(watching.storage).aside;
    this.#mayAppear = new Set(watching.mayAppear);
    GrantedFolders.#live.add(this);
  }

  /** The program gives a sign of life: its sandbox is complete, and it may have made something. */
  lives(): void {
    this.#isRunning = true;
    // It may be silent, and the editor may watch only a part of the workspace.
    this.#regular ??= setInterval(() => this.changed(), this.watching.everyMs ?? EVERY_MS).unref();
    this.changed();
  }

  /** Something in the folders may have changed. Looks soon. */
  changed(): void {
    if (!this.#isRunning || this.#hasEnded || this.#timer || this.#folders.length === 0) return;
    const wait = Math.max(SOON_MS, this.#restsUntil - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#look();
    }, wait).unref();
  }

  /** The program is gone: looks for the last time. Resolves with whether all could be looked through. */
  end(): Promise<boolean> {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    clearInterval(this.#regular);
    const ending = this.#look().finally(() => {
      GrantedFolders.#live.delete(this);
      GrantedFolders.#ending.delete(ending);
    });
    GrantedFolders.#ending.add(ending);
    return ending;
  }

  /** Resolves when programs that have ended were looked after. */
  static async settled(): Promise<void> {
    await Promise.all(GrantedFolders.#ending);
  }

  /** How the person can decide on something that was moved away. */
  decisionOn(place: SetAsidePlace): AppearedPlace {
    const { id, path } = place;
    const { appeared } = this.watching.attempts;
    return {
      id,
      path,
      keep: () => {
        for (const folders of GrantedFolders.#live) folders.#allow(path);
        this.#aside.putBack(place);
        appeared.delete(id);
      },
      remove: () => {
        this.#aside.remove(place);
        appeared.delete(id);
      },
    };
  }

  #allow(path: string): void {
    this.#mayAppear.add(path);
    this.#tellOthers();
  }

  /** Lets other programs, also of other windows, know what counts as the person's here. */
  #tellOthers(): void {
    const { program, writable } = this.watching;
    this.noted.note?.update({ program, folders: this.#folders, writable, mayAppear: [...this.#mayAppear] });
  }

  #look(): Promise<boolean> {
    return this.#queue.run(async () => {
      const started = performance.now();
      const before = this.#moved;
      let isWhole: boolean;
      let moved: number;
      do {
        moved = this.#moved;
        isWhole = await this.#lookInAll();
        // It may have hidden more: by marking its folder as one that is not searched, or by a name that reads like another's.
      } while (this.#hasEnded && this.#moved > moved);
      this.#tellOthers();
      const ended = performance.now();
      this.#restsUntil = ended + (ended - started) * SHARE;
      if (this.#moved > before) this.changed();
      return isWhole;
    });
  }

  /** @returns whether every folder could be searched, and everything new in it moved away. */
  async #lookInAll(): Promise<boolean> {
    const unmoved = this.#unmoved;
    let isWhole = true;
    for (const [at, folder] of this.#folders.entries()) {
      try {
        this.#folders[at] = await this.#lookIn(folder);
      } catch (error) {
        isWhole = false;
        this.#stop(`what appears in ${visible(folder.path)} can't be watched: ${messageOf(error)}`);
      }
    }
    return isWhole && this.#unmoved === unmoved;
  }

  async #lookIn(folder: WatchedFolder): Promise<WatchedFolder> {
    const { path: top, missing, repositories, mounted, standIns = {} } = folder;
    const { program, attempts, note } = this.watching;
    const { places, untold, isPart } = await this.#searched(folder);
    if (isPart) this.#stop(`not all of ${visible(top)} could be searched`);
    for (const path of untold) this.#stop(`it can't be told what is in ${visible(path)}`);
    // Those that its own sandbox keeps, even if they are empty.
    const kept = KEPT_FOLDERS.map(name => join(top, name)).filter(path => path in folder.known);
    const open = Object.keys(standIns).filter(path => isWithoutStandIn(folder, path));
    const there = [...kept, ...missing].filter(path => linkKind(path));
    const paths = [...new Set([...places.map(keyOf), ...untold, ...there, ...open])];
    // In a folder that is searched no more, because of a mark, the person's stays the person's.
    const hidden = Object.keys(folder.known).filter(path => !paths.includes(path) && linkKind(path));
    const known = Object.fromEntries([
      ...paths.map(path => [path, whereLeads(path)] as const),
      ...hidden.map(path => [path, folder.known[path] ?? ''] as const),
    ]);
    const isNew = (path: string) =>
      (folder.known[path] !== known[path] || open.includes(path)) && !this.#mayAppear.has(path);
    const candidates = paths.filter(path => isNew(path) && this.#isInTime(path));
    const isReplaced = Object.entries(mounted).some(([path, before]) => ![before, ''].includes(identityOf(path)));
    // If the notes can't be read, any program may have changed the repositories.
    const others = candidates.length > 0 ? await runningPrograms(this.watching.storage).catch(() => undefined) : [];
    const tracked = await trackedSafely(others ? repositories : [], candidates, { folder: top, others: others ?? [] });
    // Only the next start protects what the person has changed.
    if (isReplaced || tracked.size > 0 || folder.isOutdated) attempts.outdated();
    const isOutdated = tracked.size > 0 || folder.isOutdated;
    let count = candidates.length > 0 ? (await this.#aside.all(program, [top])).length : 0;
    const most = Math.max(MAX_SET_ASIDE, count + 1);
    for (const path of candidates.filter(candidate => !tracked.has(candidate))) {
      const place = this.#taken(path, top);
      delete known[path];
      if (place) {
        note(`${visible(path)} appeared, which other programs obey: it was moved away until you decide`);
        attempts.appeared.add([this.decisionOn(place)]);
      }
      if (++count === most) this.#stop(`${MAX_SET_ASIDE} things appeared in ${visible(top)} that other programs obey`);
      // There may be very many.
      if (count % PER_TURN === 0) await turn();
    }
    return { ...folder, known, ...(isOutdated && { isOutdated }) };
  }

  /** Moves something away. What can't be moved ends the program, and keeps nothing else from being moved. */
  #taken(path: string, folder: string): SetAsidePlace | undefined {
    try {
      const place = this.#aside.take({ program: this.watching.program, path, folder });
      this.#moved++;
      return place;
    } catch (error) {
      this.#unmoved++;
      this.#stop(`${visible(path)}, which other programs obey, can't be moved away: ${messageOf(error)}`);
      return undefined;
    }
  }

  /**
   * What other programs obey in a folder, also where the program took the rights to look into it away. A program that makes too many
   * folders is ended, so that there are no more, and they are searched to the end.
   */
  async #searched({
    path: top,
    closed: before,
    projects = [],
  }: WatchedFolder): Promise<Awaited<ReturnType<typeof obeyedIn>>> {
    const reopened = new Set(before);
    for (let most: number | undefined; ; ) {
      const found = await obeyedIn(top, { projects, ...(most !== undefined && { maxFolders: most }) });
      if (found.isPart && most === undefined) {
        this.#stop(`there are too many folders in ${visible(top)}`);
        most = MAX_SEARCHED;
        continue;
      }
      const untold = found.untold.filter(path => !before.includes(dirname(path)));
      const closed = found.closed.filter(path => !reopened.has(path));
      if (closed.length === 0) return { ...found, untold };
      for (const path of closed) {
        reopened.add(path);
        try {
          if (!isListable(path)) reopenFolder(top, path);
        } catch (error) {
          this.#stop(`${visible(path)} can't be looked into: ${messageOf(error)}`);
        }
      }
    }
  }

  /** The birth of a file can't be changed, and is 0 where the disk does not know it. */
  #isInTime(path: string): boolean {
    const { until } = this.noted;
    return until === undefined || (lstatSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0) <= until;
  }

  /** Ends the program, because its folders can't be watched any more. */
  #stop(why: string): void {
    this.watching.note(`it was ended: ${why}`);
    this.watching.kill();
  }
}

/** The empty folders that stand where nothing may be made. Where something else stands by now, anything is new. */
function standInsOf({ standIns = {} }: WatchedFolder): NonNullable<WatchedFolder['standIns']> {
  const entries = Object.entries(standIns).map(([path, { place }]) => {
    // In this order: another program may replace it meanwhile.
    const identity = identityOf(place);
    return [path, { place, identity: isEmptyFolder(place) ? identity : 'gone' }] as const;
  });
  return Object.fromEntries(entries);
}

function isListable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
