/** Watches, from each turn of the event loop that it gets, how long the last one took and how large the heap is. */
export class LoopWatch {
  readonly #heapBefore = process.memoryUsage().heapUsed;
  #heap = 0;
  #lagMs = 0;
  #last = performance.now();
  readonly #timer = setInterval(() => this.#look(), 1);

  end(): { lagMs: number; heapMb: number } {
    clearInterval(this.#timer);
    this.#look();
    return { lagMs: this.#lagMs, heapMb: this.#heap / 1e6 };
  }

  #look(): void {
    const now = performance.now();
    this.#lagMs = Math.max(this.#lagMs, now - this.#last);
    this.#last = now;
    this.#heap = Math.max(this.#heap, process.memoryUsage().heapUsed - this.#heapBefore);
  }
}
