import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 256 * 1024;

/**
 * The bytes of an open file from `start` to before `end`. Not its own stream: each of those listens to the handle until that is
 * closed, and a bundle has thousands of files.
 */
export async function* bytesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) throw new Error('unexpected end of the file');
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
