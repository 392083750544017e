import { english, type Phrase, phrase } from '../../../base/phrase';
import { Coalescer, Queue } from '../../../base/queue';
import { visible } from '../../../base/text';
import { runProgram, type ServerConnection } from '../../../host';
import { CATALOG_KINDS } from '../../../host/catalog';
import type { ProgramPorts } from '../../../host/definition';
import { compareSnapshots, type InterfaceChange, type InterfaceSnapshot, snapshotOf } from '../../authors/core';
import { type BuildProblem, BuildProblems } from './buildProblems';

/** The result of the last change of a server's files. Times are in milliseconds since 1970. */
export type DevState =
  | { readonly kind: 'building' | 'restarting' }
  | {
      readonly kind: 'buildFailed';
      readonly reason: Phrase | string;
      readonly tail: readonly string[];
      readonly problems: readonly BuildProblem[];
    }
  | {
      readonly kind: 'reloaded';
      readonly changes: readonly InterfaceChange[];
      readonly at: number;
      /** From the change to the last of its lists. */
      readonly ms: number;
    };

interface ReloaderPorts extends ProgramPorts {
  log(level: 'info' | 'error', text: string): void;
  changed(): void;
}

/** Longer builds than this are stuck. */
const BUILD_MS = 5 * 60_000;
/** An editor that saves all, a formatter, a checkout: many files change in one go. */
const TOGETHER = { quietMs: 100, maxMs: 1_000 };
const TAIL_LINES = 8;
/** In characters, of one line. */
const MAX_TAIL = 2_000;
/** Of one build. A build may print megabytes, and the log has other lines to keep. */
const MAX_LOGGED = 2_000;
const FILES_CHANGED = phrase('its files changed');
/** Those wait for a person, whom a changed file does not replace. */
const WAITS = ['needsTrust', 'needsInput', 'needsAuth'];

/** Builds and restarts a server when its files change. A change cancels a build; a failed one keeps the server. */
export class Reloader {
  readonly #together = new Coalescer(() => void this.reload(), TOGETHER);
  #state: DevState | undefined;
  #run = new AbortController();
  /** Two builds at once would write the same files. */
  readonly #builds = new Queue();
  /** When the last build began and ended; it has no end while it runs. */
  #built: { from: number; to: number } | undefined;
  /** Its interface before the first change that it has not recovered from. */
  #before: InterfaceSnapshot | undefined;

  constructor(
    private readonly server: ServerConnection,
    private readonly ports: ReloaderPorts,
    private readonly buildMs = BUILD_MS,
  ) {}

  get state(): DevState | undefined {
    // What is said of its last reload is no longer true of what somebody else has started.
    return this.#state?.kind === 'reloaded' && this.server.state.kind !== 'ready' ? undefined : this.#state;
  }

  builtAt(time: number): boolean {
    return this.#built !== undefined && this.#built.from <= time && time <= this.#built.to;
  }

  fileChanged(): void {
    this.#together.trigger();
  }

  /** Resolves when it is back, or when there is nothing left to do. */
  async reload(): Promise<void> {
    if (WAITS.includes(this.server.state.kind)) return;
    this.#run.abort();
    this.#run = new AbortController();
    const { signal } = this.#run;
    const began = performance.now();
    this.#before ??= this.#snapshot();
    const isBuilt = await this.#builds.run(async () => !signal.aborted && this.#build(signal));
    if (!isBuilt || signal.aborted) return;
    // One that is stopped starts with what was built.
    if (this.server.state.kind === 'stopped') this.#set(undefined);
    else await this.#restart(signal, began);
  }

  dispose(): void {
    this.#together.cancel();
    this.#run.abort();
  }

  /** @returns whether the server is to be restarted. */
  async #build(signal: AbortSignal): Promise<boolean> {
    const admitted = await this.ports.launch.admit(this.server.definition, 'build');
    if ('needs' in admitted) {
      this.ports.log('info', `its files changed, but it is not built: ${english(admitted.reason)}`);
      return false;
    }
    const { entry } = admitted;
    if (entry.type !== 'stdio') return false;
    const commandLine = entry.dev?.build;
    if (commandLine === undefined) return true;
    const { place } = this.server.definition;
    this.#set({ kind: 'building' });
    this.ports.log('info', `building: ${visible(commandLine, 300)}`);
    const tail: string[] = [];
    let logged = 0;
    const cwd = entry.cwd ?? place.base;
    const problems = new BuildProblems(cwd);
    const built = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.#built = built;
    const reason = await runProgram({
      admitted,
      ports: this.ports,
      commandLine,
      cwd,
      timeoutMs: this.buildMs,
      signal,
      onLine: line => {
        if (logged < MAX_LOGGED) this.ports.log('info', `build: ${line}`);
        else if (logged === MAX_LOGGED) this.ports.log('info', `build: (only its first ${MAX_LOGGED} lines are kept)`);
        logged++;
        problems.add(line);
        if (line.trim() === '') return;
        tail.push(line.slice(0, MAX_TAIL));
        if (tail.length > TAIL_LINES) tail.shift();
      },
    });
    built.to = Date.now();
    if (signal.aborted) this.ports.log('info', 'the build was cancelled: files have changed again');
    else if (reason) {
      this.ports.log('error', `the build failed: ${english(reason)}; the server keeps running unchanged`);
      this.#set({ kind: 'buildFailed', reason, tail, problems: problems.list });
    }
    return reason === undefined;
  }

  async #restart(signal: AbortSignal, began: number): Promise<void> {
    const { server } = this;
    this.#set({ kind: 'restarting' });
    await server.restart(FILES_CHANGED);
    if (signal.aborted) return;
    await Promise.all(CATALOG_KINDS.map(kind => server.catalog.loaded(kind)));
    if (signal.aborted) return;
    const now = this.#snapshot();
    if (!now) {
      this.#set(undefined);
      return;
    }
    const changes = this.#before ? compareSnapshots(this.#before, now) : [];
    this.#before = undefined;
    const ms = performance.now() - began;
    this.ports.log('info', `reloaded in ${Math.round(ms)} ms; changes of its interface: ${changes.length}`);
    this.#set({ kind: 'reloaded', changes, at: Date.now(), ms });
  }

  #snapshot(): InterfaceSnapshot | undefined {
    const { info, catalog } = this.server;
    const isKnown = ['tools', 'prompts', 'resourceTemplates'] as const;
    if (!info || isKnown.some(kind => !['ready', 'unsupported'].includes(catalog.list(kind).status))) return undefined;
    const { tools, prompts, resourceTemplates } = catalog;
    return snapshotOf({ instructions: info.instructions, tools, prompts, resourceTemplates });
  }

  #set(state: DevState | undefined): void {
    if (this.#state === state) return;
    this.#state = state;
    this.ports.changed();
  }
}
