/** Items that wait, up to a limit. What comes when it is full is dropped, and counted. */
export class BoundedQueue<T> {
  #items: T[] = [];
  #dropped = 0;

  constructor(private readonly most: number) {}

  get size(): number {
    return this.#items.length;
  }

  /** @returns whether there was room. */
  push(item: T): boolean {
    if (this.#items.length >= this.most) {
      this.#dropped++;
      return false;
    }
    this.#items.push(item);
    return true;
  }

  /** Counts items that were lost later. */
  lose(count: number): void {
    this.#dropped += count;
  }

  /** Takes the oldest items out, so many at most. */
  take(count: number): T[] {
    if (count >= this.#items.length) {
      const all = this.#items;
      this.#items = [];
      return all;
    }
    return this.#items.splice(0, count);
  }

  /** How many were dropped since this was last asked. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
