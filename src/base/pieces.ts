/** Pieces that are larger stay as they are: joining them again and again would cost more than their number. */
const LARGE = 64 * 1024;

/** Bytes that arrive in pieces. However small these are, what is kept takes hardly more memory than the bytes themselves. */
export class Pieces {
  #kept: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** In how many buffers they are kept. */
  get count(): number {
    return this.#kept.length;
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    // As long as the last is no shorter than the one before it, both become one: so few are left, and no byte is copied often.
    let last = piece;
    while (this.#kept.length > 0 && this.#kept.at(-1)!.length <= last.length && this.#kept.at(-1)!.length < LARGE)
      last = Buffer.concat([this.#kept.pop()!, last]);
    this.#kept.push(last);
  }

  /** Copies the first and the last bytes, and forgets all pieces. */
  takeEnds(length: number): [first: Buffer, last: Buffer] {
    let [left, right] = [0, 0];
    let [first, last] = [0, this.#kept.length];
    while (left < length && first < this.#kept.length) left += this.#kept[first++]!.length;
    while (right < length && last > 0) right += this.#kept[--last]!.length;
    const ends = [Buffer.concat(this.#kept.slice(0, first)), Buffer.concat(this.#kept.slice(last))] as const;
    this.#kept = [];
    this.#length = 0;
    return [Buffer.from(ends[0].subarray(0, length)), Buffer.from(ends[1].subarray(-length))];
  }

  /** Joins all pieces and forgets them. */
  take(): Buffer {
    const whole = this.#kept.length === 1 ? this.#kept[0]! : Buffer.concat(this.#kept);
    this.#kept = [];
    this.#length = 0;
    return whole;
  }
}
