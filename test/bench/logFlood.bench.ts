// 100,000 log messages at once, drained to the log port, against JSON lines by hand. All must arrive. While they come,
// the event loop must stay free for others and the heap small.
import { absolute, type BenchRow, relative } from './row';
import { HostClient } from './wire/hostClient';
import { LoopWatch } from './wire/loopWatch';
import { RawClient } from './wire/rawClient';
import { alternate, type Sides, type WireClient } from './wire/sides';

const rounds = 7;
const messages = 100_000;

export async function* rows(): AsyncGenerator<BenchRow> {
  const lags: number[] = [];
  const heaps: number[] = [];
  // Each flood has a server of its own: a second one soon after would be cut down by the host.
  const sides: Sides<() => Promise<WireClient>> = {
    floor: async () => new RawClient(),
    ours: () => HostClient.start(),
  };
  const { ours, floor } = await alternate(sides, { rounds, warmUps: 2 }, async start => {
    const client = await start();
    const { tookMs, lagMs, heapMb } = await flood(client);
    await client.close();
    if (start === sides.ours) {
      lags.push(lagMs);
      heaps.push(heapMb);
    }
    return tookMs;
  });
  yield relative('log flood: 100,000 messages', ours, 'ms', floor, 2.5);
  yield absolute('log flood: event-loop lag', lags.slice(-rounds), 'ms', 50);
  yield absolute('log flood: heap at its highest', heaps.slice(-rounds), 'MB', 20);
}

async function flood(client: WireClient): Promise<{ tookMs: number; lagMs: number; heapMb: number }> {
  let seen = 0;
  client.onLog = () => seen++;
  // The server is awake before the clock runs.
  await client.call('echo', { text: 'hello' });
  gc?.();
  const watch = new LoopWatch();
  const start = performance.now();
  await client.call('flood', { count: messages });
  const tookMs = performance.now() - start;
  if (seen !== messages) throw new Error(`${seen} of ${messages} log messages arrived`);
  return { tookMs, ...watch.end() };
}
