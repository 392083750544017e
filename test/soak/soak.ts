// One soak: many servers, everything that can happen to them, and what must be true afterwards.
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Emitter } from '../../src/base/events';
import { McpHost, resolveDefinitions } from '../../src/host';
import { CATALOG_KINDS } from '../../src/host/reading/lists';
import { startHttpFixture, waitFor } from '../servers/spawn';
import { Tag } from '../servers/tagged';
import { freely } from '../setup/freely';
import { opened } from '../setup/raw';
import { Fleet } from './fleet';
import { Random } from './random';
import { type Scene, Storm } from './storm';
import { Complaints, growth, type Vitals, vitals } from './vitals';

/** The heap may be so much larger at the end than after the warm-up. */
const HEAP_GROWTH = 1.1;
/** Below this much, growth is noise: a table that doubles once, a function that is compiled late. */
const HEAP_NOISE_BYTES = 1.5e6;

export interface SoakOptions {
  servers: number;
  /** How long it storms. */
  ms: number;
  /** How long it storms before the heap is measured for the first time: code is compiled then and caches fill. */
  warmUpMs: number;
  seed: number;
  print(line: string): void;
  /** How often a line is printed. */
  printEveryMs: number;
}

export interface SoakReport {
  counts: Record<string, number>;
  /** What must not be; a good run has none. */
  problems: string[];
}

/** Runs one soak. Rejects only when it could not be run. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const http = await startHttpFixture();
  const complaints = new Complaints();
  try {
    const before = vitals();
    complaints.listen();
    const run = new Run(options, http.url('/mcp'), () => http.forgetSessions());
    const problems = await run.storm().finally(() => run.close());
    complaints.stop();
    problems.push(...(await leftBehind(before, run.tag)), ...complaints.texts);
    return { counts: { ...run.counts }, problems };
  } finally {
    complaints.stop();
    await http.stop();
  }
}

class Run {
  readonly tag = new Tag();
  readonly #host: McpHost;
  readonly #fleet: Fleet;
  readonly #storm: Storm;
  readonly #roots = new Emitter<void>();
  #logLines = 0;

  constructor(
    private readonly options: SoakOptions,
    url: string,
    forgetSessions: () => Promise<void>,
  ) {
    this.#host = new McpHost(
      { name: 'soak', version: '0' },
      {
        log: { log: () => void this.#logLines++ },
        roots: { list: () => [{ uri: 'file:///soak', name: 'soak' }], onDidChange: this.#roots.event },
        memory: { read: async () => undefined, write: async () => {} },
        shellPath: async () => undefined,
        ...freely,
      },
      // Kills come faster than any server would fall: patience has no end here, and no wait is long.
      {
        restart: { minMs: 50, maxMs: 2_000, failures: 1_000, withinMs: 10_000 },
        limits: () => ({ pingIntervalMs: 1_500 }),
      },
    );
    opened(this.#host);
    const random = new Random(options.seed);
    this.#fleet = new Fleet({ size: options.servers, env: this.tag.env, url }, random);
    const scene: Scene = {
      host: this.#host,
      fleet: this.#fleet,
      tag: this.tag,
      random,
      configure: () => this.#configure(),
      forgetSessions,
      changeRoots: () => this.#roots.fire(),
    };
    this.#storm = new Storm(scene);
  }

  get counts(): Record<string, number> {
    return { ...this.#storm.counts, 'log lines': this.#logLines };
  }

  /** @returns what was wrong. */
  async storm(): Promise<string[]> {
    const { warmUpMs, ms, print, printEveryMs } = this.options;
    const started = Date.now();
    const printer = setInterval(() => print(this.#line(started)), printEveryMs);
    try {
      await this.#settle();
      await this.#storm.rage(Date.now() + warmUpMs);
      await this.#settle();
      const warm = vitals();
      print(`warm after ${seconds(started)} s: heap ${mb(warm.heapBytes)} MB`);
      await this.#storm.rage(Date.now() + ms);
      await this.#settle();
      const end = vitals();
      print(`settled after ${seconds(started)} s: heap ${mb(end.heapBytes)} MB`);
      return compare(warm, end);
    } finally {
      clearInterval(printer);
    }
  }

  async close(): Promise<void> {
    await this.#host.dispose();
    this.#roots.dispose();
  }

  #configure(): void {
    const variables = { workspaceFolders: {}, userHome: homedir(), env: () => undefined, config: () => undefined };
    const value = this.#fleet.settings;
    this.#host.reconcile(resolveDefinitions([{ source: { scope: 'user' }, value, variables }]).definitions);
  }

  /** The wind drops: settings are as at the beginning, a person starts what has failed, and each server must be ready. */
  async #settle(): Promise<void> {
    await this.#storm.calm();
    this.#fleet.comeHome();
    this.#configure();
    const unready = () => this.#host.servers.filter(server => !isSettled(server));
    // Some announce changes for a second after they are ready, and a session that was forgotten shows with the next ping:
    // they must be found settled for longer than that.
    let inARow = 0;
    await waitFor(
      async () => {
        await delay(250);
        this.#storm.startFailed();
        inARow = unready().length === 0 && this.#strays() === 0 ? inARow + 1 : 0;
        return inARow === 9;
      },
      {
        timeoutMs: 60_000,
        what: () =>
          `every server to be ready and alone; not ready: ${unready().map(describeState).join('; ')}; strays: ${this.#strays()}`,
      },
    );
  }

  /** Processes that are neither a server's nor its grandchild, as many of those as there should be. */
  #strays(): number {
    const pids = new Set(this.#host.servers.map(({ state }) => (state.kind === 'ready' ? state.pid : undefined)));
    const grandchildren = this.#host.servers.filter(({ definition: { entry } }) =>
      Boolean(entry?.type === 'stdio' && entry.args.includes('--grandchild')),
    ).length;
    const others = this.tag.processes().filter(pid => !pids.has(pid)).length;
    return process.platform === 'linux' ? others - grandchildren : 0;
  }

  #line(started: number): string {
    const states: Record<string, number> = {};
    for (const { state } of this.#host.servers) states[state.kind] = (states[state.kind] ?? 0) + 1;
    const { counts } = this;
    return [
      `${seconds(started)} s:`,
      Object.entries(states)
        .map(([kind, n]) => `${n} ${kind}`)
        .join(', '),
      `| ${this.#storm.inFlight} in flight, ${counts['call answered'] ?? 0} calls answered,`,
      `${counts.kill ?? 0} kills, ${counts.edit ?? 0} bursts of edits, ${counts['log lines']} log lines`,
      `| heap ${mb(process.memoryUsage().heapUsed)} MB, ${this.tag.processes().length} processes`,
    ].join(' ');
  }
}

/** Both looks are at the same servers, all ready: what is more in the second has leaked. */
function compare(warm: Vitals, end: Vitals): string[] {
  const problems: string[] = [];
  const limit = Math.max(warm.heapBytes * HEAP_GROWTH, warm.heapBytes + HEAP_NOISE_BYTES);
  if (globalThis.gc && end.heapBytes > limit) {
    problems.push(`the heap has grown from ${mb(warm.heapBytes)} to ${mb(end.heapBytes)} MB`);
  }
  const { ProcessWrap: before = 0, PipeWrap: pipesBefore = 0 } = warm.resources;
  const { ProcessWrap: after = 0, PipeWrap: pipesAfter = 0 } = end.resources;
  const more = growth({ processes: before, pipes: pipesBefore }, { processes: after, pipes: pipesAfter });
  if (more) problems.push(`there are more handles with the same servers: ${more}`);
  const listeners = growth(warm.listeners, end.listeners);
  if (listeners) problems.push(`there are more listeners on process: ${listeners}`);
  return problems;
}

/** What is there after the host is gone that was not there before it came. */
async function leftBehind(before: Vitals, tag: Tag): Promise<string[]> {
  const problems: string[] = [];
  const resources = () => growth(before.resources, vitals().resources);
  const listeners = () => growth(before.listeners, vitals().listeners);
  const processes = () => tag.processes().join();
  const looks = { resources, listeners, processes };
  for (const [what, look] of Object.entries(looks)) {
    // Sockets that HTTP keeps for the next request are closed after some seconds.
    await waitFor(() => look() === '', { timeoutMs: 8_000, what }).catch(() =>
      problems.push(`${what} are left when the host is gone: ${look()}`),
    );
  }
  return problems;
}

type Server = McpHost['servers'][number];

function isSettled({ state, catalog }: Server): boolean {
  return state.kind === 'ready' && CATALOG_KINDS.every(kind => /ready|unsupported/.test(catalog.list(kind).status));
}

function describeState({ id, state, catalog }: Server): string {
  const { status, error } = catalog.list('tools');
  const why = 'error' in state ? state.error.message : (error?.message ?? '');
  return `${id} is ${state.kind}, its tools ${status} ${why}`;
}

const seconds = (since: number) => ((Date.now() - since) / 1_000).toFixed(0);
const mb = (bytes: number) => (bytes / 1e6).toFixed(1);
