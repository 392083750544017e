/** At first; a power of two, as all sizes. */
const SLOTS = 8;

/**
 * Things in flight, each under a number that no other had before. Not a `Map`: one that is filled and emptied all the time
 * is copied again and again, and V8 keeps each of its old copies, with all that was in it, until the next full collection;
 * for the calls of tools that took as long as all the rest. Here a number's place is the rest of a division, and numbers
 * whose place is taken are passed over.
 */
export class Numbered<T> {
  #slots: ([number, T] | undefined)[] = new Array(SLOTS).fill(undefined);
  #size = 0;

  /** @param next a positive number to begin with. */
  constructor(private next: number) {}

  /** @returns its number. */
  add(value: T): number {
    // At least half of the places are free, so that one is soon found.
    if (++this.#size * 2 > this.#slots.length) this.#grow();
    while (this.#slots[this.#place(this.next)]) this.next++;
    this.#slots[this.#place(this.next)] = [this.next, value];
    return this.next++;
  }

  get(number: number): T | undefined {
    const slot = this.#slots[this.#place(number)];
    return slot?.[0] === number ? slot[1] : undefined;
  }

  /** @returns what it was. */
  take(number: number): T | undefined {
    const value = this.get(number);
    if (value !== undefined) {
      this.#slots[this.#place(number)] = undefined;
      this.#size--;
    }
    return value;
  }

  /** All, with their numbers, as they are now. */
  entries(): [number, T][] {
    return this.#slots.filter(slot => slot !== undefined);
  }

  #place(number: number): number {
    return number & (this.#slots.length - 1);
  }

  #grow(): void {
    const entries = this.entries();
    this.#slots = new Array(this.#slots.length * 2).fill(undefined);
    // Two that had places of their own have so in twice the number of places.
    for (const entry of entries) this.#slots[this.#place(entry[0])] = entry;
  }
}
