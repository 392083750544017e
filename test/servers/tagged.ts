// Finds the processes that a test has caused, however they have been renamed, adopted or forgotten.
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';

const NAME = 'MCP_HOST_TEST_TAG';

/** A mark for processes: put it into the environment of the first, and all that it starts inherits it. */
export class Tag {
  readonly value = randomUUID();
  readonly env = { [NAME]: this.value };

  /** Ids of the living processes with this mark. Always empty where there is no /proc. */
  processes(): number[] {
    if (process.platform !== 'linux') return [];
    return fs
      .readdirSync('/proc')
      .filter(name => /^\d+$/.test(name) && this.#marks(name))
      .map(Number);
  }

  /** One that waits to be reaped has no environment any more. */
  #marks(pid: string): boolean {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${NAME}=${this.value}`);
    } catch {
      return false; // it has ended, or is another person's
    }
  }
}
