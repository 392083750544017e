import type { HostError, HostErrorCode, HostErrorOptions } from '../../base/errors';
import { type Phrase, phrase } from '../../base/phrase';
import { GO_ON, type ServerState } from './serverState';

/** How often the clock is looked at while waiting, in milliseconds: timers stand still while the machine sleeps. */
const LOOK_MS = 5_000;
/** A session that lasted this long, in milliseconds, was a good one: losing it is no sign of a fault. */
const GOOD_MS = 5_000;

type Reconnecting = ServerState & { kind: 'reconnecting' };

/** Why and how a server is started again. */
export interface Restart {
  readonly reason: Phrase;
  /** Why it ended; undefined if it was never ready. */
  readonly after?: HostError | undefined;
  /** Whether its state stays what it is until it is ready: nobody waits for it, and it has failed like this before. */
  readonly isQuiet: boolean;
}

interface RestartedServer {
  isRemote(): boolean;
  launch(restart: Restart): void;
  error(problem: Omit<HostErrorOptions, 'server'>): HostError;
}

const ENDED = phrase('it ended unexpectedly');
const UNREACHED = phrase('it could not be reached');

interface Clock {
  now(): number;
  random(): number;
  readonly lookMs: number;
}

/**
 * Starts a server again that has ended unexpectedly: when, and for how long. A program is given up after some failures. A
 * remote server is tried again as long as the window lives, and at once when it is wanted (`retry`), unless its failure can't
 * heal without a person.
 */
export class Restarts {
  readonly #clock: Clock;
  /** Times of failures that count. */
  #failures: number[] = [];
  /** Whether the last failure belongs to an outage that goes on. */
  #isOut = false;
  #timer: NodeJS.Timeout | undefined;
  /** The planned start; a request may come first. */
  #planned: Restart | undefined;
  /** When this outage began, in milliseconds since 1970. */
  #since: number | undefined;
  #readyAt = 0;
  #failedAt = 0;

  constructor(
    private readonly server: RestartedServer,
    private readonly options: RestartOptions = DEFAULT_RESTART,
    clock: Partial<Clock> = {},
  ) {
    this.#clock = { now: Date.now, random: Math.random, lookMs: LOOK_MS, ...clock };
  }

  /** Plans the next start after a failure. @returns the state until then; undefined if there is none. */
  after(error: HostError): Reconnecting | undefined {
    const isRemote = this.server.isRemote();
    const now = this.#clock.now();
    const isOver = error.code === 'SESSION_LOST' && this.#since === undefined && now - this.#readyAt >= GOOD_MS;
    this.#since ??= now;
    this.#failedAt = now;
    if (isRemote && !heals(error)) return undefined;
    const { waitMs, isDown } = isOver ? { waitMs: 0, isDown: false } : this.#failed(now, isRemote);
    if (isDown && !isRemote) return undefined;
    this.#plan({ reason: ENDED, after: error, isQuiet: isDown }, now, waitMs);
    // One that was there a moment ago has another reason.
    const told = isDown && now > this.#since ? this.#down(error, now - this.#since) : error;
    return { kind: 'reconnecting', error: told, at: now + waitMs, since: this.#since, isDown };
  }

  /** Plans another first start of a remote server: it or the network may come up after the window. */
  afterFirst(error: HostError): void {
    if (!this.server.isRemote() || !isUnreachable(error)) return;
    const now = this.#clock.now();
    this.#failedAt = now;
    this.#plan({ reason: UNREACHED, isQuiet: true }, now, this.#failed(now, true).waitMs);
  }

  /** Starts it at once if a start is planned, unless it has just failed. */
  retry(reason: Phrase): void {
    const planned = this.#planned;
    if (!planned || !this.server.isRemote() || this.#clock.now() - this.#failedAt < this.options.minMs) return;
    this.cancel();
    this.server.launch({ ...planned, reason, isQuiet: false });
  }

  ready(): void {
    this.#readyAt = this.#clock.now();
    this.#since = undefined;
    this.#isOut = false;
  }

  /** Drops the start that is planned. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#planned = undefined;
  }

  /** A person started it: earlier failures do not count. */
  reset(): void {
    this.#since = undefined;
    this.#failures = [];
    this.#isOut = false;
  }

  /**
   * Counts a failure: exponential backoff with jitter.
   * @param isRemote whether all failures of this outage count, however old.
   * @returns how long to wait, and whether it has failed more often than `RestartOptions.failures`.
   */
  #failed(now: number, isRemote: boolean): { waitMs: number; isDown: boolean } {
    const { minMs, maxMs, failures, withinMs } = this.options;
    if (!(isRemote && this.#isOut)) this.#failures = this.#failures.filter(time => now - time < withinMs);
    this.#isOut = true;
    this.#failures.push(now);
    const delay = Math.min(maxMs, minMs * 2 ** (this.#failures.length - 1));
    // Up to a quarter less, so that servers that failed together do not restart together.
    return {
      waitMs: Math.round(delay * (1 - this.#clock.random() / 4)),
      isDown: this.#failures.length > failures,
    };
  }

  #plan(restart: Restart, now: number, waitMs: number): void {
    this.#planned = restart;
    this.#wait(now + waitMs, waitMs);
  }

  #wait(at: number, waitMs: number): void {
    this.#timer = setTimeout(
      () => {
        const left = at - this.#clock.now();
        // The clock may have been set back.
        if (left > 0 && left <= waitMs) return this.#wait(at, waitMs);
        const planned = this.#planned;
        this.cancel();
        if (planned) this.server.launch(planned);
      },
      Math.min(this.#clock.lookMs, Math.max(0, at - this.#clock.now())),
    );
  }

  /** What is told of a remote server that has been down for a while. */
  #down({ code, phrases: { reason }, cause }: HostError, ms: number): HostError {
    return this.server.error({
      code,
      action: GO_ON,
      reason: phrase('not reachable for {0}: {1}', rounded(ms), reason),
      remedy: phrase('It is tried again when it is used, and at least once a minute.'),
      cause,
    });
  }
}

const rounded = (ms: number): string =>
  ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`;

/** Codes of failures that stay until a person does something. */
const LASTING = new Set<HostErrorCode>(['CERTIFICATE', 'FORBIDDEN', 'UNAUTHORIZED']);

/** Whether a failure may pass without a person. A refused version of the protocol has no code of JSON-RPC. */
const heals = ({ code, rpcCode }: HostError): boolean =>
  !LASTING.has(code) && (code !== 'PROTOCOL' || rpcCode !== undefined);

/** Whether nothing is known of a server but that it is not there, or is not well. */
const isUnreachable = ({ code, status = 0 }: HostError): boolean =>
  code === 'UNREACHABLE' || code === 'TIMEOUT' || code === 'CLOSED' || status >= 500;

export interface RestartOptions {
  /** First wait, in milliseconds; each further one is twice as long. */
  minMs: number;
  /** Longest wait, in milliseconds. */
  maxMs: number;
  /** After this many failures it counts as down: a program is given up … */
  failures: number;
  /** … if they were within this time, in milliseconds. */
  withinMs: number;
}

export const DEFAULT_RESTART: RestartOptions = { minMs: 1_000, maxMs: 60_000, failures: 5, withinMs: 5 * 60_000 };
