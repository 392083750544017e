const NEWLINE = 0x0a;

/**
 * Splits a byte stream into lines in linear time: a chunk is looked at once, and a line that spans many chunks is joined
 * once. A line longer than `maxBytes` is dropped up to its newline and reported by `onTooLong` with its size so far.
 */
export class LineReader {
  #parts: Buffer[] = [];
  #size = 0;
  #skipping = false;

  constructor(
    private readonly maxBytes: number,
    private readonly onLine: (line: string) => void,
    private readonly onTooLong: (bytes: number) => void,
  ) {}

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** Delivers a last line that has no newline. */
  end(): void {
    if (this.#size > 0) this.#finish();
  }

  #add(part: Buffer): void {
    if (this.#skipping) return;
    this.#size += part.length;
    if (this.#size > this.maxBytes) {
      this.#skipping = true;
      this.#parts = [];
      this.onTooLong(this.#size);
    } else if (part.length > 0) {
      this.#parts.push(part);
    }
  }

  #finish(): void {
    const parts = this.#parts;
    const skipped = this.#skipping;
    this.#parts = [];
    this.#size = 0;
    this.#skipping = false;
    if (skipped || parts.length === 0) return;
    const line = (parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString('utf8');
    this.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}
