import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitFor } from '../servers/spawn';

/** Waits until what `run` leaves behind takes less than `bytes` of memory; fails if it does not. */
export async function assertKept(bytes: number, run: () => unknown): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  await run();
  let grown = 0;
  // Buffers that were collected are given back on another thread.
  const isGivenBack = () => {
    grown = used() - before;
    return grown < bytes;
  };
  await waitFor(isGivenBack, { timeoutMs: 30_000, what: () => `${grown} bytes are kept` });
}
