import type { JSONRPCNotification, Progress } from '@modelcontextprotocol/client';
import type { HostError, HostErrorOptions, TimeLimit } from '../../base/errors';
import type { Event } from '../../base/events';
import { type Phrase, phrase } from '../../base/phrase';
import { Queue } from '../../base/queue';
import type { ServerDefinition } from '../definition/definition';
import type { ServerClock } from '../sdk/deadlines';
import type { StartPolicy } from './connectionOptions';
import { isTransient, type ServerState, untilSettled } from './serverState';

/** Extra time for a start that reached its limit: it is over only when its process has ended. */
const ENDING_MS = 5_000;
/** The most requests that may wait. A caller that makes more is broken. */
const MAX_WAITING = 10_000;

const NEEDED = phrase('it is needed');

/** How long a call takes, in milliseconds. */
export class CallTime {
  readonly #started = performance.now();
  /** How long the server took, without the time that a person needed: known at the end, and not of every request. */
  ofServer: number | undefined;

  get ms(): number {
    return this.ofServer ?? performance.now() - this.#started;
  }
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Called with the id of the task when the server turns the call into one. */
  onTask?: (taskId: string) => void;
  time?: CallTime | undefined;
  /** Goes along with the call: W3C trace context (spec 2026-07-28: basic#_meta). */
  meta?: Readonly<Record<string, string>> | undefined;
  /** Waits for the result of this earlier task instead of making a call. */
  taskId?: string;
}

/** A person's request; `tool` and `clock` are those of a tool call. */
export interface PersonsRequest {
  readonly signal: AbortSignal | undefined;
  readonly tool?: string;
  readonly clock?: ServerClock;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** The longest silence, in milliseconds. */
  readonly idleMs: number;
  readonly notified: (notification: JSONRPCNotification) => void;
}

export interface SendOptions {
  signal?: AbortSignal | undefined;
  /** Default: `timeouts.requestMs`. */
  timeoutMs?: number | undefined;
  /** Which limit of the settings entry that is. Default: `requestMs`. */
  limit?: TimeLimit;
  /** False: fails if the server is not ready. Default: waits while it starts, and starts one that does on demand. */
  waits?: boolean;
  /** It changes nothing on the server, so it is sent again when its answer was lost. */
  isRead?: boolean;
}

export interface GatedConnection {
  readonly definition: ServerDefinition;
  readonly state: ServerState;
  readonly onDidChangeState: Event<ServerState>;
  readonly startPolicy: StartPolicy;
  start(reason: Phrase): Promise<void>;
  retry(reason: Phrase): void;
}

/**
 * The gate that each request passes before it is sent. It waits for its turn if the server has too many requests in flight,
 * waits for a server that is starting, and starts one that is used on demand. Errors are `HostError`s: `BUSY`, `NOT_READY`,
 * `CANCELLED`.
 */
export class RequestGate {
  readonly #queue: Queue;

  /** @param error makes an error that names the server. @param inFlight the most requests at once. */
  constructor(
    private readonly connection: GatedConnection,
    private readonly error: (problem: Omit<HostErrorOptions, 'server'>) => HostError,
    inFlight: number,
  ) {
    this.#queue = new Queue({ limit: inFlight, maxWaiting: MAX_WAITING });
  }

  set inFlight(limit: number) {
    this.#queue.limit = limit;
  }

  /** Whether requests are in flight or waiting. */
  get isBusy(): boolean {
    return this.#queue.length > 0;
  }

  /** Enters immediately. False if that is not possible: then call `enter`. */
  tryEnter(signal: AbortSignal | undefined): boolean {
    return this.connection.state.kind === 'ready' && !signal?.aborted && this.#queue.tryEnter();
  }

  /**
   * Waits for this request's turn, and while the server may become ready. `limitMs` bounds each wait. Rejects when the
   * request gets no turn. After it resolves, call `check`, and `leave` when the request is over.
   */
  async enter(action: Phrase | string, limitMs: number, { signal, waits }: SendOptions): Promise<void> {
    if (!this.#queue.tryEnter()) await this.#waitForTurn(action, limitMs, signal);
    if (this.connection.state.kind !== 'ready' && waits !== false) await this.#waitUntilReady(limitMs, signal);
  }

  /** Throws if a request that has entered can't be sent now. */
  check(action: Phrase | string, signal: AbortSignal | undefined): void {
    if (signal?.aborted) throw this.cancelled(action);
    if (this.connection.state.kind !== 'ready') throw this.#notReady(action);
  }

  /** To be called when a request that has entered is over. */
  leave(): void {
    this.#queue.leave();
  }

  cancelled(action: Phrase | string): HostError {
    return this.error({ code: 'CANCELLED', action, reason: phrase('it was cancelled') });
  }

  async #waitForTurn(action: Phrase | string, limitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const refusal = await this.#queue.wait(signal, limitMs);
    if (refusal === undefined) return;
    if (refusal === 'aborted') throw this.cancelled(action);
    const reason =
      refusal === 'full'
        ? phrase('too many requests are already waiting for it')
        : phrase('it was busy with other requests for {0} s', limitMs / 1_000);
    const remedy = phrase(
      'Restart it if it does not answer, or raise "requestsInFlight" in the setting "mcpHost.limits".',
    );
    throw this.error({ code: 'BUSY', action, reason, remedy });
  }

  async #waitUntilReady(limitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { connection } = this;
    const { entry } = connection.definition;
    const onDemand = connection.startPolicy === 'onDemand';
    if (onDemand && connection.state.kind === 'stopped' && !signal?.aborted) void connection.start(NEEDED);
    else if (!signal?.aborted) connection.retry(NEEDED);
    const startMs = onDemand && entry ? entry.timeouts.startMs + ENDING_MS : 0;
    await untilSettled(connection, Math.max(limitMs, startMs), signal);
  }

  #notReady(action: Phrase | string): HostError {
    const code = 'NOT_READY';
    const { state } = this.connection;
    if (isTransient(state)) {
      const reason = state.kind === 'starting' ? phrase('it is still starting') : phrase('it is still reconnecting');
      const remedy = phrase('Wait until it is ready and try again; its log says what it is doing.');
      return this.error({ code, action, reason, remedy });
    }
    if ('error' in state) {
      const { reason: why, remedy } = state.error.phrases;
      const reason = state.kind === 'reconnecting' ? why : phrase('it is not running: {0}', why);
      return this.error({ code, action, reason, ...(remedy && { remedy }) });
    }
    return this.error({
      code,
      action,
      reason: phrase('it is stopped'),
      remedy: phrase('Start the server and try again.'),
    });
  }
}
