import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

/**
 * A clock that stands still unless a test lets time pass: for `setTimeout`, `performance.now()` and `Date.now()`. What depends
 * on time can then be told to the millisecond, however long the machine takes. `waitFor` has no place beside it: its own
 * pauses would not end.
 */
export class Clock {
  #now = 1_000_000;

  start(): void {
    mock.timers.enable({ apis: ['setTimeout'] });
    mock.method(performance, 'now', () => this.#now);
    mock.method(Date, 'now', () => this.#now);
  }

  stop(): void {
    mock.timers.reset();
    mock.restoreAll();
  }

  /** What is due comes in its order; what follows of it at once does so before the next millisecond. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed++) {
      this.#now++;
      mock.timers.tick(1);
      await turn();
    }
  }
}

/** Has such a clock in each test of a `describe`. */
export function withClock(): Clock {
  const clock = new Clock();
  beforeEach(() => clock.start());
  afterEach(() => clock.stop());
  return clock;
}
