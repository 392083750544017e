import type { HostError } from '../../base/errors';
import { type Phrase, phrase, withValues } from '../../base/phrase';
import { startOf } from '../../base/text';
import type { Traffic } from '../transport/incomingMessages';
import type { Exit } from '../transport/stdioTransport';
import type { ServerState } from './serverState';

const MAX_CHANGES = 100;
const MAX_TOOLS = 500;
const MAX_REASON = 500;

/** The tools beyond the first 500 are counted as one. No tool has this name. */
export const OTHER_TOOLS = '';

interface StateChange {
  readonly kind: ServerState['kind'];
  /** Since when, in milliseconds since 1970. */
  readonly at: number;
  /** The reason, if known, without secrets. */
  readonly reason: Phrase | string | undefined;
}

/** Statistics of a tool since the window was opened. */
interface ToolCount {
  calls: number;
  /** Failed calls, and those with `isError`. Cancelled ones do not count. */
  errors: number;
  /** The total of all calls, in milliseconds. */
  totalMs: number;
  /** When it was last called, in milliseconds since 1970. */
  lastAt: number;
}

/** The part of a session that is counted. */
interface MeasuredSession {
  readonly exit: Exit | undefined;
  readonly traffic: Traffic | undefined;
}

/** Statistics about one server over all its sessions, bounded and cheap. Changes are not announced: views poll. */
export class Vitals {
  /** The states it was in, oldest first: the last 100. */
  readonly history: readonly StateChange[] = [];
  /** Latencies of tool calls, without the time that a person took for questions of the server. */
  readonly calls = new Latencies();
  readonly pings = new Latencies();
  readonly tools: ReadonlyMap<string, ToolCount> = new Map();
  /** How often it was started, restarts included. */
  starts = 0;
  /** How often it was restarted because it ended unexpectedly. */
  restarts = 0;
  /** How its last process ended, and when in milliseconds since 1970. Kept when it is started again. */
  lastExit: (Exit & { readonly at: number }) | undefined;
  /** Its last stderr lines before it failed, without secrets. */
  lastStderr: readonly string[] = [];
  #session: MeasuredSession | undefined;
  readonly #ended = { received: 0, sent: 0 };

  /** @param sessionEnded called whenever `ended` is. */
  constructor(private readonly sessionEnded: () => void) {}

  /** Bytes, over all sessions. */
  get traffic(): Readonly<Traffic> {
    const { received = 0, sent = 0 } = this.#session?.traffic ?? {};
    return { received: this.#ended.received + received, sent: this.#ended.sent + sent };
  }

  /** To be called when it enters this state. */
  changed(state: ServerState, why: Phrase | string | undefined): void {
    const { kind } = state;
    const history = this.history as StateChange[];
    const before = history.at(-1)?.kind;
    // A start that has become slow is still the same start.
    if (kind === 'starting' && kind === before) return;
    if (kind === 'starting') this.starts++;
    if (kind === 'starting' && before === 'reconnecting') this.restarts++;
    const error = 'error' in state ? state.error : undefined;
    if (error && error.stderrTail.length > 0) this.lastStderr = error.stderrTail;
    const reason = error ? whatFailed(error) : why;
    history.push({ kind, at: Date.now(), reason: reason && withValues(reason, text => startOf(text, MAX_REASON)) });
    if (history.length > MAX_CHANGES) history.shift();
  }

  began(session: MeasuredSession): void {
    this.#session = session;
  }

  /** To be called both when a session begins to end and when it has ended, because how it ended is known only then. */
  ended(session: MeasuredSession): void {
    this.sessionEnded();
    if (session.exit) this.lastExit = { ...session.exit, at: Date.now() };
    if (this.#session !== session) return;
    Object.assign(this.#ended, this.traffic);
    this.#session = undefined;
  }

  called(tool: string, ms: number, failed: boolean): void {
    this.calls.add(ms);
    const tools = this.tools as Map<string, ToolCount>;
    let count = tools.get(tool);
    if (!count) {
      const name = tools.size < MAX_TOOLS ? tool : OTHER_TOOLS;
      count = tools.get(name) ?? { calls: 0, errors: 0, totalMs: 0, lastAt: 0 };
      tools.set(name, count);
    }
    count.calls++;
    if (failed) count.errors++;
    count.totalMs += ms;
    count.lastAt = Date.now();
  }
}

function whatFailed({ code, phrases: { action, reason, remedy } }: HostError): Phrase | string {
  // Problems of settings are sentences of their own.
  if (code === 'INVALID_SETTINGS' && !remedy) return reason;
  const summary = phrase('Could not {0}: {1}.', action, reason);
  return remedy ? phrase('{0} {1}', summary, remedy) : summary;
}

const KEPT = 512;

/** The newest durations in milliseconds, in order of arrival. */
export class Latencies {
  readonly #newest: number[] = [];
  /** How many there have been in total. */
  count = 0;

  add(ms: number): void {
    this.count++;
    this.#newest.push(ms);
    if (this.#newest.length > KEPT) this.#newest.shift();
  }

  /** The newest, oldest first. */
  last(count: number): number[] {
    return this.#newest.slice(-count);
  }

  /** Quantiles of the kept values, for instance for `[0.5, 0.95]`. Undefined if there are none. */
  percentiles(parts: readonly number[]): number[] | undefined {
    if (this.count === 0) return undefined;
    const sorted = [...this.#newest].sort((a, b) => a - b);
    return parts.map(part => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]!);
  }
}
