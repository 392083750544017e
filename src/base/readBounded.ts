import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { PhraseError, phrase } from './phrase';

/** Do not wait for the other end of a pipe, nor acquire a terminal. Windows has no such flags. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const CHUNK_BYTES = 64 * 1024;

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
