import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Writes texts in order, whole or in pieces of `chunkBytes` with a millisecond between two, so that a reader sees
 * messages, and characters, cut anywhere: without a pause the pipe would join them again.
 */
export class PieceWriter {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly stream: Writable,
    private readonly chunkBytes: number | undefined,
  ) {}

  write(text: string): void {
    if (this.chunkBytes === undefined) {
      this.stream.write(text);
      return;
    }
    this.last = this.last.then(() => this.inPieces(Buffer.from(text), this.chunkBytes as number));
  }

  /** Ends the stream once all is written. */
  end(): void {
    this.last = this.last.then(() => void this.stream.end());
  }

  private async inPieces(bytes: Buffer, size: number): Promise<void> {
    for (let start = 0; start < bytes.length; start += size) {
      this.stream.write(bytes.subarray(start, start + size));
      await delay(1);
    }
  }
}
