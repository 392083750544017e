/** The initial size. Every size is a power of two. */
const SLOTS = 8;

/**
 * Requests in flight, each under an id that was never used before. Not a `Map`: one that is constantly filled and emptied is
 * copied again and again, and V8 keeps every old copy, with all its contents, until the next full collection, which took as
 * long as everything else in a tool call. Here the slot of an id is its remainder modulo the size, and ids whose slot is
 * taken are skipped.
 */
export class RequestTable<T> {
  #slots: ([number, T] | undefined)[] = new Array(SLOTS).fill(undefined);
  #size = 0;

  /** @param next the first id, a positive number. */
  constructor(private next: number) {}

  /** @returns its id. */
  add(value: T): number {
    // At least half of the slots are free, so one is found soon.
    if (++this.#size * 2 > this.#slots.length) this.#grow();
    while (this.#slots[this.#place(this.next)]) this.next++;
    this.#slots[this.#place(this.next)] = [this.next, value];
    return this.next++;
  }

  get(id: number): T | undefined {
    const slot = this.#slots[this.#place(id)];
    return slot?.[0] === id ? slot[1] : undefined;
  }

  /** @returns the entry under the id. */
  take(id: number): T | undefined {
    const value = this.get(id);
    if (value !== undefined) {
      this.#slots[this.#place(id)] = undefined;
      this.#size--;
    }
    return value;
  }

  /** A snapshot of all entries with their ids. */
  entries(): [number, T][] {
    return this.#slots.filter(slot => slot !== undefined);
  }

  #place(id: number): number {
    return id & (this.#slots.length - 1);
  }

  #grow(): void {
    const entries = this.entries();
    this.#slots = new Array(this.#slots.length * 2).fill(undefined);
    // Entries with different slots also have different ones in a table of twice the size.
    for (const entry of entries) this.#slots[this.#place(entry[0])] = entry;
  }
}
