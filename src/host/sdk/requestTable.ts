/** At first; a power of two, as all sizes. */
const SLOTS = 8;

/**
 * Requests in flight, each under an id that no other had before. Not a `Map`: one that is filled and emptied all the time
 * is copied again and again, and V8 keeps each of its old copies, with all that was in it, until the next full collection;
 * for calls of tools that took as long as all the rest. Here the place of an id is the rest of a division, and ids whose
 * place is taken are passed over.
 */
export class RequestTable<T> {
  #slots: ([number, T] | undefined)[] = new Array(SLOTS).fill(undefined);
  #size = 0;

  /** @param next the id to begin with, a positive number. */
  constructor(private next: number) {}

  /** @returns its id. */
  add(value: T): number {
    // At least half of the places are free, so that one is soon found.
    if (++this.#size * 2 > this.#slots.length) this.#grow();
    while (this.#slots[this.#place(this.next)]) this.next++;
    this.#slots[this.#place(this.next)] = [this.next, value];
    return this.next++;
  }

  get(id: number): T | undefined {
    const slot = this.#slots[this.#place(id)];
    return slot?.[0] === id ? slot[1] : undefined;
  }

  /** @returns what was under the id. */
  take(id: number): T | undefined {
    const value = this.get(id);
    if (value !== undefined) {
      this.#slots[this.#place(id)] = undefined;
      this.#size--;
    }
    return value;
  }

  /** All, with their ids, as they are now. */
  entries(): [number, T][] {
    return this.#slots.filter(slot => slot !== undefined);
  }

  #place(id: number): number {
    return id & (this.#slots.length - 1);
  }

  #grow(): void {
    const entries = this.entries();
    this.#slots = new Array(this.#slots.length * 2).fill(undefined);
    // Two that had places of their own have so in twice the number of places.
    for (const entry of entries) this.#slots[this.#place(entry[0])] = entry;
  }
}
