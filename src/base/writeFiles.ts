import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { lstat, rename, rm, writeFile } from 'node:fs/promises';
import { PhraseError, phrase } from './phrase';
import { visible } from './text';

/*
 * The only way to write files: `test/setup/architecture.mjs` names the few exceptions. The content is first written beside
 * its target, under an unguessable name that must not exist, so that no link is followed. Then it is renamed, so that no
 * reader sees half of it.
 */

/**
 * Replaces a file by a text (UTF-8). Links are neither followed nor replaced: to write to the target of a link, pass its real
 * path.
 *
 * @param mode of the file. Default: that of the existing file, or the system's for new files.
 * @throws PhraseError when something other than a regular file is there. Node's error when it can't be written.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const before = await lstat(path).catch(unlessMissing);
  const [draft, options] = draftOf(path, before, mode);
  try {
    await writeFile(draft, text, options);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The same at once, for what is small. */
export function replaceFileSync(path: string, text: string, mode?: number): void {
  const before = lstatSync(path, { throwIfNoEntry: false });
  const [draft, options] = draftOf(path, before, mode);
  try {
    writeFileSync(draft, text, options);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Makes a file. Rejects with `EEXIST` when anything is there, also a link that leads nowhere. */
export const createFile = (path: string, text: string): Promise<void> => writeFile(path, text, { flag: 'wx' });

function draftOf(path: string, before: Stats | undefined, mode = before?.mode) {
  if (before && !before.isFile())
    throw new PhraseError(
      phrase('{0} was not written, because it is a link or not a regular file.', visible(path, 300)),
    );
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  return [draft, { flag: 'wx', ...(mode !== undefined && { mode: mode & 0o777 }) }] as const;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
