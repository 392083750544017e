import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readBounded } from '../../../base/files';
import { type Phrase, PhraseError, phrase } from '../../../base/phrase';
import { isMissing, type ManagedPlaces } from './managedPlaces';
import { windowsStranger } from './windowsOwner';

const MAX_BYTES = 1024 * 1024;
/** Others than the owner may write. */
const WRITABLE = 0o022;

/** Reads a managed file. @returns its text, undefined if there is none, or why it does not count. */
export async function readManagedFile(
  path: string,
  owner: ManagedPlaces['owner'],
): Promise<string | undefined | Phrase> {
  try {
    const text = await readBounded(path, MAX_BYTES);
    return (await strangerTo(path, owner)) ?? text;
  } catch (error) {
    if (isMissing(error as NodeJS.ErrnoException)) return undefined;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return error instanceof PhraseError ? error.phrase : phrase("it can't be read ({0})", code);
  }
}

/** Who else may have written a file. Both it and its folder count, as whoever may write the folder may replace the file. */
async function strangerTo(path: string, owner: ManagedPlaces['owner']): Promise<Phrase | undefined> {
  if (owner === undefined) return undefined;
  for (const place of [path, dirname(path)]) {
    if (owner === 'administrators') {
      const stranger = await windowsStranger(place);
      if (stranger) return stranger;
      continue;
    }
    const { uid, mode } = await stat(place);
    if (uid !== owner) return phrase('{0} does not belong to the administrator of this machine', place);
    if (mode & WRITABLE) return phrase('{0} can be written by others than its owner', place);
  }
  return undefined;
}
