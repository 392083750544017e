import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isWithin } from '../../base/filePlace';
import { readBounded, replaceFileSync } from '../../base/files';
import { parsedJson } from '../../base/json';
import { PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { inBytes, inHeldFolder, nameInBytes, removeHeld, reopenFolder } from './heldFolder';
import { entriesOf, linkKind } from './onDisk';

const MAX_NOTE_BYTES = 64 * 1024;
const CONTENT = 'content';

/** Something that other programs obey, which appeared where a confined program may write, and was moved away. */
export interface SetAsidePlace {
  readonly id: string;
  /** The program that could have made it: see `sandboxIdentity`. */
  readonly program: string;
  /** Where it appeared. */
  readonly path: string;
  /** The folder that the program may change. */
  readonly folder: string;
  /** Its name beside where it was, if the extension's storage is on another disk. */
  readonly renamed?: string;
  /** Its name in hexadecimal bytes, if that is no text. */
  readonly bytes?: string;
}

/** The folder for what appeared and was moved away: in the storage of the extension, outside of every sandbox. */
export class SetAside {
  constructor(private readonly storage: string) {}

  /** What the person has not decided on of a program, or in folders. */
  async all(program: string, folders: readonly string[]): Promise<SetAsidePlace[]> {
    const found: SetAsidePlace[] = [];
    // One after the other: there may be more than files can be open at once.
    for (const id of entriesOf(this.storage)) {
      const text = await readBounded(join(this.storage, id, 'note.json'), MAX_NOTE_BYTES).catch(() => '');
      const note = parsedJson(text) as SetAsidePlace | undefined;
      const isMeant = note?.program === program || folders.some(folder => note && isWithin(folder, note.path));
      if (note && isMeant && linkKind(this.#whereIs(note))) found.push(note);
    }
    return found;
  }

  /** Moves something away, following no link. Undefined: it is gone. @throws Node's error if it can't be moved */
  take(found: Pick<SetAsidePlace, 'program' | 'path' | 'folder'>): SetAsidePlace | undefined {
    const place = { ...found, id: randomBytes(8).toString('hex') };
    mkdirSync(join(this.storage, place.id), { recursive: true, mode: 0o700 });
    this.#write(place);
    try {
      return this.#moved(place);
    } catch (error) {
      this.#forget(place);
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return undefined;
    }
  }

  /** Puts it back. @throws PhraseError if something else is there by now, Node's error if its folder is gone */
  putBack(place: SetAsidePlace): void {
    const { path, folder, renamed, bytes } = place;
    inHeldFolder(folder, dirname(path), held => {
      const to = inBytes(held, bytes === undefined ? basename(path) : Buffer.from(bytes, 'hex'));
      if (linkKind(to))
        throw new PhraseError(phrase('{0} was not put back, because something else is there now.', visible(path, 300)));
      renameSync(renamed === undefined ? this.#whereIs(place) : join(held, renamed), to);
    });
    this.#forget(place);
  }

  /** Removes it for good. */
  remove(place: SetAsidePlace): void {
    const { id, path, folder, renamed } = place;
    if (renamed === undefined) removeHeld(join(this.storage, id), CONTENT);
    else inHeldFolder(folder, dirname(path), held => removeHeld(held, renamed));
    this.#forget(place);
  }

  #moved(found: SetAsidePlace): SetAsidePlace {
    const { id, path, folder } = found;
    return inHeldFolder(folder, dirname(path), held => {
      const name = nameInBytes(held, basename(path));
      const from = inBytes(held, name);
      const place = typeof name === 'string' ? found : { ...found, bytes: name.toString('hex') };
      if (place !== found) this.#write(place);
      const move = (to: string) => {
        try {
          renameSync(from, to);
        } catch (error) {
          if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
          for (const closed of [dirname(path), path]) if (linkKind(closed) === 'folder') reopenFolder(folder, closed);
          renameSync(from, to);
        }
      };
      try {
        move(this.#whereIs(place));
        return place;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
        const beside = { ...place, renamed: `set-aside-${id}` };
        this.#write(beside);
        move(join(held, beside.renamed));
        return beside;
      }
    });
  }

  #whereIs({ id, path, renamed }: SetAsidePlace): string {
    return renamed === undefined ? join(this.storage, id, CONTENT) : join(dirname(path), renamed);
  }

  #write(place: SetAsidePlace): void {
    replaceFileSync(join(this.storage, place.id, 'note.json'), JSON.stringify(place));
  }

  #forget({ id }: SetAsidePlace): void {
    rmSync(join(this.storage, id), { recursive: true, force: true });
  }
}
