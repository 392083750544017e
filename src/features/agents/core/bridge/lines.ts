/** Splits bytes into lines. One that is too long is left out, and reported. */
export class Lines {
  #parts: Buffer[] = [];
  #size = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly onLine: (line: string) => void,
    private readonly onTooLong: () => void,
  ) {}

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      this.#end();
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    const wasTooLong = this.#size > this.maxBytes;
    this.#size += part.length;
    if (this.#size <= this.maxBytes) this.#parts.push(part);
    else if (!wasTooLong) {
      this.#parts = [];
      this.onTooLong();
    }
  }

  #end(): void {
    const isWhole = this.#size <= this.maxBytes;
    const line = isWhole ? Buffer.concat(this.#parts).toString('utf8').trim() : '';
    this.#parts = [];
    this.#size = 0;
    if (line) this.onLine(line);
  }
}
