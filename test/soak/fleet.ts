// The settings of a soak: which servers there are, and how a person edits them.
import { fixturePath } from '../servers/spawn';
import { inRepository } from '../setup/paths';
import type { Random } from './random';

type Entry = Record<string, unknown>;

/** How servers misbehave that become ready all the same. */
const faults: readonly string[][] = [
  [],
  ['--grandchild'],
  ['--ignore-stdin-end'],
  ['--ignore-sigterm', '--grandchild'],
  ['--garbage'],
  ['--answer-twice', '--stray-answers'],
  ['--log-flood=2000'],
  ['--list-changed-storm=100'],
  ['--paced-storm=100'],
  ['--ask-storm=100', '--roots'],
  ['--stderr=2000'],
  ['--bad-utf8'],
  ['--tools=500', '--page-size=50'],
  ['--die-on-probe'],
];

const limits = { startMs: 20_000, requestMs: 10_000, toolCallMs: 10_000 };

export interface FleetOptions {
  size: number;
  /** Goes into the environment of every process. */
  env: Record<string, string>;
  /** A server over Streamable HTTP that any number of entries may share. */
  url: string;
}

/** So many of ten servers are remote, so many the demo server; the others are hand-written and misbehave. */
const REMOTE_OF_TEN = 1;
const DEMO_OF_TEN = 2;

/** The value of `mcpHost.servers` while it is edited all the time. */
export class Fleet {
  readonly #home = new Map<string, Entry>();
  #current: Map<string, Entry>;
  #edits = 0;

  constructor(
    private readonly options: FleetOptions,
    private readonly random: Random,
  ) {
    for (let i = 0; i < options.size; i++) this.#home.set(`server-${i}`, this.#entry(i));
    this.#current = new Map(this.#home);
  }

  get settings(): Record<string, Entry> {
    return Object.fromEntries(this.#current);
  }

  /** Everything as it was at the beginning. */
  comeHome(): void {
    this.#current = new Map(this.#home);
  }

  /** Makes one edit. @returns its name. */
  edit(): string {
    const kind = this.random.weighted({ change: 4, limits: 2, remove: 2, add: 3, disable: 2, spoil: 1, mend: 5 });
    const id = this.random.pick([...this.#current.keys()]);
    const entry = id === undefined ? undefined : this.#current.get(id);
    if (kind === 'add' || id === undefined || entry === undefined) this.#add();
    else if (kind === 'change') this.#current.set(id, { ...entry, ...this.#changed(entry) });
    else if (kind === 'limits') this.#current.set(id, { ...entry, timeouts: { ...limits, requestMs: 9_000 } });
    else if (kind === 'remove') this.#current.delete(id);
    else if (kind === 'disable') this.#current.set(id, { ...entry, enabled: false });
    else if (kind === 'spoil') this.#current.set(id, { command: 'no-such-command-anywhere' });
    else this.#mend();
    return kind;
  }

  /** A few of those that are missing or altered are as at the beginning again. */
  #mend(): void {
    for (const [id, entry] of this.#home) {
      if (this.#current.get(id) !== entry && this.random.next() < 0.3) this.#current.set(id, entry);
    }
  }

  /** One that was removed, or a guest; there are never many of those. */
  #add(): void {
    const missing = [...this.#home.keys()].filter(id => !this.#current.has(id));
    const id = this.random.pick(missing);
    if (id !== undefined) this.#current.set(id, this.#home.get(id)!);
    else this.#current.set(`guest-${this.#edits++ % 3}`, this.#entry(this.random.between(0, 9)));
  }

  /** Something that is launched with the server, so that it must start again. */
  #changed(entry: Entry): Entry {
    const edit = `${++this.#edits}`;
    if ('url' in entry) return { headers: { 'x-edit': edit } };
    return { env: { ...(entry.env as object | undefined), SOAK_EDIT: edit } };
  }

  #entry(index: number): Entry {
    const { url, env } = this.options;
    const kind = index % 10;
    if (kind < REMOTE_OF_TEN) return { url, timeouts: limits };
    const isDemo = kind < REMOTE_OF_TEN + DEMO_OF_TEN;
    const flags = faults[index % faults.length] ?? [];
    return {
      command: process.execPath,
      args: isDemo ? [inRepository('dist', 'demo-server.js')] : [fixturePath('hostile'), ...flags],
      env: { ELECTRON_RUN_AS_NODE: '1', ...env },
      timeouts: limits,
    };
  }
}
