import { setImmediate } from 'node:timers/promises';

/** The turns of long work, between which other work has its own. */
export class Turns {
  #begun = performance.now();

  /** @param lengthMs of one turn. */
  constructor(private readonly lengthMs: number) {}

  /** Whether this turn has lasted long enough. */
  get isOver(): boolean {
    return performance.now() - this.#begun > this.lengthMs;
  }

  /** Resolves when the next turn begins. */
  async next(): Promise<void> {
    await setImmediate();
    this.#begun = performance.now();
  }
}
