import type { LoggingLevel } from '@modelcontextprotocol/client';
import type { HostError } from '../../base/errors';
import { Emitter, type Event, until } from '../../base/events';
import { MAX_TIMER_MS } from '../../base/numberText';
import { english, type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { ServerPurpose } from '../definition/launchGate';
import { isPackageProgram } from '../launch/installedProgram';
import type { ServerInfo } from '../sdk/serverInfo';
import type { GuardedPorts } from '../secrets/redactor';
import type { ServerEntry } from '../settings';

/** The state of a connection. `error` is the reason why it is not ready. */
export type ServerState =
  | { readonly kind: 'stopped' }
  /** `isSlow`: it takes so long that the person should learn what may take the time. `printed`: the last line of its program. */
  | { readonly kind: 'starting'; readonly isSlow: boolean; readonly printed?: string | undefined }
  /** `newer`: the version of its package that the next start fetches. */
  | { readonly kind: 'ready'; readonly info: ServerInfo; readonly pid: number | undefined; readonly newer?: string }
  /** Ended at `since`, restarts at `at`, in milliseconds since 1970. `isDown`: for a while; requests do not wait. */
  | {
      readonly kind: 'reconnecting';
      readonly error: HostError;
      readonly at: number;
      readonly since: number;
      readonly isDown: boolean;
    }
  /** `gaveUp`: it ended unexpectedly too often and is not restarted. */
  | { readonly kind: 'failed'; readonly error: HostError; readonly gaveUp: boolean }
  /** A person has to do something first: allow it to run, give an input, sign in. `error` says what. */
  | { readonly kind: 'needsTrust'; readonly error: HostError }
  | { readonly kind: 'needsInput'; readonly error: HostError }
  | { readonly kind: 'needsAuth'; readonly error: HostError };

interface StateServices {
  log(level: LoggingLevel, text: string): void;
  /** Called with each new state, and the reason if it is known. */
  changed(state: ServerState, why: Phrase | string | undefined): void;
  readonly redactor: GuardedPorts['redactor'];
  readonly slowStartMs: number | undefined;
  /** The last line that the starting program has printed. */
  printed(): string | undefined;
}

/** Owns the state of one connection. Each change is logged, counted in its vitals and announced. */
export class StateHolder {
  #state: ServerState = { kind: 'stopped' };
  readonly #changed = new Emitter<ServerState>();
  readonly onDidChange = this.#changed.event;
  #slowTimer: NodeJS.Timeout | undefined;

  constructor(private readonly services: StateServices) {}

  get current(): ServerState {
    return this.#state;
  }

  /** @param isQuiet leaves the state as it is: see `Restart`. @param purpose that of the launch. */
  starting(entry: ServerEntry, reason: Phrase | string, isQuiet: boolean, purpose?: ServerPurpose): void {
    const { log } = this.services;
    log(isQuiet ? 'debug' : 'info', `starting: ${english(reason)}`);
    if (isQuiet) return;
    this.set({ kind: 'starting', isSlow: false }, reason);
    const { slowStartMs = DEFAULT_SLOW_START_MS } = this.services;
    // An entry may allow a start less time than that, and a debugger has all the time that it wants.
    if (slowStartMs >= entry.timeouts.startMs || purpose === 'debug') return;
    this.#slowTimer = setTimeout(() => {
      this.#showSlow(slowStartMs);
      const { printed } = this.#state as { printed?: string };
      log('warning', slowStartNote(entry, slowStartMs, printed));
    }, slowStartMs);
  }

  /** Shows what the program has printed last, and looks again after a while. */
  #showSlow(everyMs: number): void {
    const line = this.services.printed();
    const printed = line === undefined ? undefined : visible(this.services.redactor.text(line), MAX_PRINTED);
    const before = this.#state;
    if (before.kind !== 'starting' || !before.isSlow || before.printed !== printed)
      this.set({ kind: 'starting', isSlow: true, printed });
    this.#slowTimer = setTimeout(() => this.#showSlow(everyMs), everyMs).unref();
  }

  need(kind: 'needsTrust' | 'needsInput' | 'needsAuth', error: HostError): void {
    this.services.log('warning', error.message);
    this.set({ kind, error });
  }

  fail(error: HostError, { gaveUp = false, isQuiet = false } = {}): void {
    this.services.log(isQuiet ? 'debug' : 'error', error.message);
    this.set({ kind: 'failed', error, gaveUp });
  }

  set(state: ServerState, why?: Phrase | string): void {
    clearTimeout(this.#slowTimer);
    if (state === this.#state) return;
    this.#state = 'error' in state ? { ...state, error: this.services.redactor.error(state.error) } : state;
    this.services.changed(this.#state, why);
    this.announce();
  }

  /** A newer version of the package that runs was published. */
  published(newer: string): void {
    if (this.#state.kind !== 'ready') return;
    this.#state = { ...this.#state, newer };
    this.announce();
  }

  /** Something that is shown beside the state has changed. */
  announce(): void {
    this.#changed.fire(this.#state);
  }
}

/** How a server that was ready ended, as it completes "could not …". */
export const GO_ON = phrase('go on');

export const START = phrase('start');

/** The start of a server, as it completes "could not …": only programs are started. */
export const startAction = (entry: ServerEntry | undefined): Phrase =>
  entry === undefined || entry.type === 'stdio' ? START : phrase('connect');

const DEFAULT_SLOW_START_MS = 10_000;
const MAX_PRINTED = 200;

/** The program of the entry, when it may be downloading. */
export function downloaderOf(entry: ServerEntry | undefined): string | undefined {
  const program = entry?.type === 'stdio' ? entry.command.split(/[\\/]/).at(-1) : undefined;
  return program !== undefined && isPackageProgram(program) ? program : undefined;
}

/** The log line for a slow start: what may take the time, and when it ends. */
function slowStartNote(entry: ServerEntry, afterMs: number, printed: string | undefined): string {
  const downloader = downloaderOf(entry);
  const silent = `its ${entry.type === 'stdio' ? 'program' : 'address'} has not answered yet`;
  const why = downloader ? `a first "${downloader}" downloads what it runs` : silent;
  const limit = `"timeouts": { "startMs": ${entry.timeouts.startMs} } in its settings entry ends the start after ${entry.timeouts.startMs / 1_000} s`;
  const last = printed === undefined ? '' : `; the last line that it printed: ${printed}`;
  return `still starting after ${afterMs / 1_000} s: ${why}; ${limit}${last}`;
}

/** A configured limit as a timer accepts it: larger values become the longest, invalid ones `fallback`. */
export function timerMs(value: number | undefined, fallback: number): number {
  return value !== undefined && value > 0 ? Math.min(value, MAX_TIMER_MS) : fallback;
}

/** Whether it runs, or is about to. */
export const isRunning = (kind: ServerState['kind']): boolean =>
  kind === 'starting' || kind === 'ready' || kind === 'reconnecting';

/** Whether the state is transient, and soon ends in `ready` or in one that says why not. */
export function isTransient(state: ServerState): boolean {
  return state.kind === 'starting' || (state.kind === 'reconnecting' && !state.isDown);
}

/** Waits while a server is starting or reconnecting, at most `limitMs`, or until `signal` is aborted. Never rejects. */
export function untilSettled(
  connection: { readonly state: ServerState; readonly onDidChangeState: Event<ServerState> },
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return until(() => !isTransient(connection.state), [connection.onDidChangeState], { limitMs, signal });
}
