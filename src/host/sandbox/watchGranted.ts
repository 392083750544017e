import { join } from 'node:path';
import { visible } from '../../base/text';
import type { SandboxAttempts } from './attempts';
import { GrantedFolders } from './grantedFolders';
import type { WatchedFolder } from './obeyedPlaces';
import { RunningNotes } from './runningNotes';
import { SetAside } from './setAside';

const none = () => {};

/** Where what appeared lies, and where it is noted which programs run. */
const placesIn = (storage: string) => ({
  aside: new SetAside(join(storage, 'items')),
  notes: new RunningNotes(join(storage, 'running')),
});

/** What watching the folders of a program takes. */
interface WatchOptions {
  /** See `ConfineOptions.aside`. */
  readonly storage: string;
  readonly program: string;
  readonly mayAppear: readonly string[];
  readonly attempts: SandboxAttempts;
  watch?(folder: string, changed: () => void): () => void;
  /** For its log, in English. */
  note(text: string): void;
  /** Ends the program. */
  kill(): void;
}

/** The folders of a program while it runs. */
interface WatchedRun {
  /** It gives a sign of life. */
  lives(): void;
  /** It is gone. Resolves when its folders were looked through. */
  end(): Promise<void>;
}

/** Looks through what programs left in their folders whose end nobody saw, because the window ended first. */
export async function settleBefore(storage: string): Promise<void> {
  await GrantedFolders.settled();
  const { aside, notes } = placesIn(storage);
  await notes.settle(async ({ program, folders, mayAppear }, until) => {
    const watching = { program, mayAppear, aside, until, appeared: none, outdated: none, stop: none };
    await new GrantedFolders(folders, watching).end();
  });
}

/** Watches the folders that a program may change, from its start to its end: see `GrantedFolders`. */
export async function watchGranted(folders: readonly WatchedFolder[], options: WatchOptions): Promise<WatchedRun> {
  const { storage, program, mayAppear, attempts, note, kill } = options;
  const { aside, notes } = placesIn(storage);
  const granted = new GrantedFolders(folders, {
    ...{ program, mayAppear, aside },
    appeared: place => {
      note(`${visible(place.path)} appeared, which other programs obey: it was moved away until you decide`);
      attempts.appeared.add([place]);
    },
    outdated: () => attempts.outdated(),
    stop: why => {
      note(`it was ended: ${why}`);
      kill();
    },
  });
  const open = await aside.all(
    program,
    folders.map(({ path }) => path),
  );
  attempts.appeared.add(open.map(place => granted.decisionOn(place)));
  if (folders.length === 0) return { lives: () => {}, end: () => granted.end() };
  const ends = [
    notes.begin({ program, folders, mayAppear }),
    ...folders.flatMap(({ path }) => options.watch?.(path, () => granted.changed()) ?? []),
  ];
  return {
    lives: () => granted.lives(),
    end: async () => {
      await granted.end();
      for (const end of ends) end();
    },
  };
}
