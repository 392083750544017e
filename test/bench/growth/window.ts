// node window.js <servers> <tools of each>: what one window pays for them, in its extension host. Prints JSON.
import { ToolIndex } from '../../../src/features/languageModel/core/relevance';
import { bareHost } from '../bareHost';
import { wireServer } from '../wire/rawClient';

const [servers = 1, tools = 10] = process.argv.slice(2).map(Number);
/** How long the processor is watched at rest. */
const restMs = 10_000;

export interface Grown {
  /** Milliseconds until all are ready. */
  readonly startMs: number;
  /** Megabytes, resident. */
  readonly memory: number;
  /** Of one processor, in percent. */
  readonly restPercent: number;
  /** Milliseconds: making the index of all tools, with the first question. */
  readonly firstSearchMs: number;
  readonly searchMs: number;
}

async function main(): Promise<void> {
  const { host, configure } = bareHost();
  const started = performance.now();
  const ready = new Promise<void>((resolve, reject) => {
    host.onDidChangeServer(({ server: { state } }) => {
      if (state.kind === 'failed') reject(state.error);
      if (host.servers.every(({ catalog }) => catalog.list('tools').status === 'ready')) resolve();
    });
  });
  const entry = { command: process.execPath, args: [wireServer, `--tools=${tools}`] };
  configure(Object.fromEntries(Array.from({ length: servers }, (_, i) => [`server ${i}`, entry])));
  await ready;
  const startMs = performance.now() - started;
  globalThis.gc?.();
  const memory = process.memoryUsage().rss / 1e6;
  const before = process.cpuUsage();
  await new Promise(resolve => setTimeout(resolve, restMs));
  const { user, system } = process.cpuUsage(before);
  const all = host.servers.flatMap(({ id, name, catalog }) =>
    catalog.tools.map(tool => ({ name: `${name}__${tool.name}`, serverId: id, serverName: name, tool })),
  );
  const [firstSearchMs, index] = timed(() => {
    const made = new ToolIndex(all);
    made.search('look up the limit of thing 7');
    return made;
  });
  const [searchMs] = timed(() => index.search('which query gives thing 42 of the server'));
  const grown: Grown = { startMs, memory, restPercent: (user + system) / 10 / restMs, firstSearchMs, searchMs };
  console.log(JSON.stringify(grown));
  process.stdin.once('data', () => void host.dispose().then(() => process.exit()));
}

function timed<T>(act: () => T): [ms: number, result: T] {
  const start = performance.now();
  const result = act();
  return [performance.now() - start, result];
}

void main();
