// What befalls the servers of a soak: chance does it, one act after the other.
import { setTimeout as delay } from 'node:timers/promises';
import type { McpHost, ServerConnection } from '../../src/host';
import type { Tag } from '../servers/tagged';
import { raw } from '../setup/raw';
import type { Fleet } from './fleet';
import type { Random } from './random';

const MAX_IN_FLIGHT = 100;

export interface Scene {
  host: McpHost;
  fleet: Fleet;
  tag: Tag;
  random: Random;
  /** Gives the host the settings of the fleet. */
  configure(): void;
  forgetSessions(): Promise<void>;
  changeRoots(): void;
}

type Act = 'call' | 'kill' | 'freeze' | 'edit' | 'restart' | 'stop' | 'start' | 'forget' | 'roots' | 'refresh';

const weights: Record<Act, number> = {
  call: 40,
  kill: 8,
  freeze: 4,
  edit: 6,
  restart: 2,
  stop: 2,
  start: 8,
  forget: 0.3,
  roots: 3,
  refresh: 6,
};

/** Lets things happen, and counts them. */
export class Storm {
  readonly counts: Record<string, number> = {};
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #frozen = new Set<number>();

  constructor(private readonly scene: Scene) {}

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Lets it storm until `until`, in milliseconds since 1970. */
  async rage(until: number): Promise<void> {
    while (Date.now() < until) {
      this.#act(this.scene.random.weighted(weights));
      await delay(this.scene.random.between(5, 60));
    }
  }

  /** Resolves when every call has an end; they all have limits. */
  async calm(): Promise<void> {
    for (const pid of this.#frozen) this.#thaw(pid);
    await Promise.all(this.#inFlight);
  }

  /** A person starts what is not running, be it that it failed or that it was stopped. */
  startFailed(): void {
    for (const server of this.scene.host.servers) {
      if (['failed', 'stopped'].includes(server.state.kind) && server.definition.entry?.enabled !== false) {
        this.#count(`start of a ${server.state.kind} server`);
        this.#track(server.start('the soak'));
      }
    }
  }

  #act(act: Act): void {
    const { host, random } = this.scene;
    const server = random.pick(host.servers);
    this.#count(act);
    if (act === 'edit') this.#edit();
    else if (act === 'roots') this.scene.changeRoots();
    else if (act === 'forget') this.#track(this.scene.forgetSessions());
    else if (act === 'start') this.startFailed();
    else if (server) this.#befall(server, act);
  }

  #befall(server: ServerConnection, act: Act): void {
    const { random } = this.scene;
    const pid = server.state.kind === 'ready' ? server.state.pid : undefined;
    if (act === 'call') this.#call(server);
    else if (act === 'kill' && pid) this.#signal(pid, random.next() < 0.5 ? 'SIGKILL' : 'SIGTERM');
    else if (act === 'freeze' && pid) this.#freeze(pid, random.between(20, 1_500));
    else if (act === 'restart') this.#track(server.restart('the soak'));
    else if (act === 'stop') this.#track(server.stop('the soak'));
    else if (act === 'refresh' && pid)
      for (const kind of ['tools', 'resources'] as const) server.catalog.listChanged(kind);
  }

  /** A burst of one to five edits, each told to the host at once, as a person saves a file. */
  #edit(): void {
    for (let edits = this.scene.random.between(1, 5); edits > 0; edits--) {
      this.#count(`edit ${this.scene.fleet.edit()}`);
      this.scene.configure();
    }
  }

  /** A tool is called with the first arguments that come to mind; now and then a person changes their mind. */
  #call(server: ServerConnection): void {
    const { random } = this.scene;
    const tool = random.pick(server.catalog.tools);
    if (!tool || this.#inFlight.size >= MAX_IN_FLIGHT) return;
    const abort = new AbortController();
    if (random.next() < 0.2) setTimeout(() => abort.abort(), random.between(0, 200));
    const args = { text: 'soak', ms: random.between(0, 400), steps: 3 };
    const called = raw(server)
      .callTool(tool, args, { signal: abort.signal })
      .then(
        () => this.#count('call answered'),
        error => this.#count(`call ended: ${error.code ?? error}`),
      );
    this.#track(called);
  }

  #freeze(pid: number, ms: number): void {
    this.#signal(pid, 'SIGSTOP');
    this.#frozen.add(pid);
    this.#track(delay(ms).then(() => this.#thaw(pid)));
  }

  #thaw(pid: number): void {
    if (this.#frozen.delete(pid)) this.#signal(pid, 'SIGCONT');
  }

  /** Only to what is still ours: ids are given out again. */
  #signal(pid: number, signal: NodeJS.Signals): void {
    if (process.platform === 'linux' && !this.scene.tag.processes().includes(pid)) return;
    try {
      process.kill(pid, signal);
    } catch {
      // It has just ended.
    }
  }

  #track(work: Promise<unknown>): void {
    this.#inFlight.add(work);
    void work.finally(() => this.#inFlight.delete(work));
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}
