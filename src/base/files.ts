import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { PhraseError, phrase } from './phrase';
import { visible } from './text';

/** Do not wait for the other end of a pipe, nor acquire a terminal. Windows has no such flags. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const CHUNK_BYTES = 64 * 1024;

/** The first four bytes of a regular file, as hexadecimal digits: what kind of program it is. Empty if it can't be read. */
export function firstBytes(path: string): string {
  try {
    const file = openSync(path, FLAGS);
    try {
      const head = Buffer.alloc(4);
      if (fstatSync(file).isFile()) readSync(file, head);
      return head.toString('hex');
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

/**
 * Reads a file that others may have created. A link may lead to an endless device, a pipe without a
 * writer or a growing file, so only a regular file is read, and at most `maxBytes` of it.
 *
 * The only way to read files that are not the extension's own: `test/unit/readBounded.test.ts` looks for others.
 *
 * @throws Node's error when it can't be opened. PhraseError that completes "… can't be read: " when it is not a regular file,
 * or larger.
 */
export async function readBytes(path: string, maxBytes: number): Promise<Buffer> {
  const file = await openBounded(path, maxBytes);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      // Reading one byte more than allowed shows whether there is more.
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes + 1 - size));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, bytesRead));
      size += bytesRead;
      if (size > maxBytes) throw tooLarge(maxBytes);
    }
  } finally {
    await file.close();
  }
}

/**
 * Opens such a file for those who read parts of it; it may still grow. They close it.
 *
 * @throws as `readBytes`
 */
export async function openBounded(path: string, maxBytes: number): Promise<FileHandle> {
  // Checked before opening too: opening a device can already have an effect.
  if (!(await stat(path)).isFile()) throw notRegular();
  const file = await open(path, FLAGS);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw notRegular();
    if (status.size > maxBytes) throw tooLarge(maxBytes);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Its text, in UTF-8. @throws as `readBytes` */
export const readBounded = async (path: string, maxBytes: number): Promise<string> =>
  (await readBytes(path, maxBytes)).toString('utf8');

const notRegular = () => new PhraseError(phrase('it is not a regular file'));

function tooLarge(maxBytes: number): PhraseError {
  const megabytes = maxBytes / 1024 / 1024;
  return new PhraseError(phrase('it is larger than {0}', megabytes >= 1 ? `${megabytes} MB` : `${maxBytes / 1024} KB`));
}

/*
 * The only way to write files: `test/lint/architecture.mjs` names the few exceptions. The content is first written beside
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

/** Replaces a small file before it returns: others see the text before or after it, never a part. */
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

/** Makes a file, unless anything is there. All others see either nothing or the whole of it. */
export function createFileSync(path: string, text: string): void {
  const [draft, options] = draftOf(path, undefined);
  try {
    writeFileSync(draft, text, options);
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Makes a file. Rejects with `EEXIST` when anything is there, also a link that leads nowhere. Leaves no half of it. */
export async function createFile(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Appends lines to a file that other processes append to, too: each line is one write. Removes from `lines` what is written, so
 * that the rest can be tried again. What a full disk cut off stays on a line of its own.
 */
export async function appendLines(path: string, lines: string[], mode: number): Promise<void> {
  const file = await open(path, 'a', mode);
  try {
    let start = (await isCutOff(path)) ? '\n' : '';
    for (; lines[0] !== undefined; lines.shift(), start = '') await file.appendFile(start + lines[0]);
  } finally {
    await file.close();
  }
}

/** Whether the last line of a file has no end. A file that only takes lines does not tell. */
async function isCutOff(path: string): Promise<boolean> {
  const status = await stat(path);
  if (!status.isFile() || status.size === 0) return false;
  const file = await open(path, FLAGS).catch(() => undefined);
  try {
    const last = await file?.read(Buffer.alloc(1), 0, 1, status.size - 1);
    return last?.bytesRead === 1 && last.buffer.toString() !== '\n';
  } finally {
    await file?.close();
  }
}

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
