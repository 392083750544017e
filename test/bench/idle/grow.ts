/** So many connections are there before anything is measured: the first ones load and compile code. */
const warm = 10;
const measured = 50;
const settleMs = 1_000;

/**
 * Opens connections and prints, as JSON, what each costs this process in kilobytes of resident memory, and what share of
 * one processor all take for `idleMs`, in percent.
 */
export async function grow(open: (count: number) => Promise<unknown>, idleMs: number): Promise<void> {
  await open(warm);
  const before = await resident();
  await open(measured);
  const after = await resident();
  const kilobytes = (after.rss - before.rss) / 1024 / measured;
  const heapKilobytes = (after.heapUsed - before.heapUsed) / 1024 / measured;
  const { user, system } = process.cpuUsage();
  await sleep(idleMs);
  const used = process.cpuUsage();
  const percent = idleMs > 0 ? (used.user + used.system - user - system) / 10 / idleMs : 0;
  console.log(JSON.stringify({ kilobytes, heapKilobytes, percent }));
}

async function resident(): Promise<NodeJS.MemoryUsage> {
  await sleep(settleMs);
  gc?.();
  await sleep(100);
  gc?.();
  return process.memoryUsage();
}

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
