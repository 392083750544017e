import { createWriteStream } from 'node:fs';
import { type FileHandle, rename } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Makes a file of what a stream has, in a folder that only the extension writes to. Rejects with `EEXIST` when anything is there.
 * @param onBytes called with each piece; what it throws ends the writing.
 */
export function writeNew(
  path: string,
  from: Readable,
  options: { mode: number; onBytes: (bytes: number) => void; signal: AbortSignal },
): Promise<void> {
  const { mode, onBytes, signal } = options;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      onBytes(chunk.length);
      yield chunk;
    }
  };
  return pipeline(from, counted, createWriteStream(path, { flags: 'wx', mode }), { signal });
}

/** Gives a folder that was just made its name: nobody sees half of it. Rejects if there is one that is not empty. */
export const giveName = (folder: string, to: string): Promise<void> => rename(folder, to);

const CHUNK_BYTES = 256 * 1024;

/** The bytes of an open file from `start` to before `end`. Its own streams would leave thousands of listeners. */
export async function* bytesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) throw new Error('unexpected end of the file');
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
