import { HostError, type HostErrorCode } from '../../base/errors';
import type { Event } from '../../base/events';
import { type Phrase, phrase } from '../../base/phrase';
import type { StartPolicy } from '../connection/startPolicy';
import type { ServerState } from '../connection/state';
import type { ServerDefinition } from '../definition';
import { untilSettled } from './readiness';
import { RequestQueue } from './requestQueue';
import type { SendOptions } from './requests';

/** A start that fails at its limit is over only when its process has ended. */
const ENDING_MS = 5_000;

/** Why a request has no result that somebody gave up. */
export const CANCELLED = phrase('it was cancelled');

/** What the gate needs to know of its connection. */
export interface GatedConnection {
  readonly definition: ServerDefinition;
  readonly state: ServerState;
  readonly onDidChangeState: Event<ServerState>;
  readonly startPolicy: StartPolicy;
  start(reason: Phrase): Promise<void>;
}

/**
 * What a request passes before it is sent: it waits for its turn if the server has too many requests in flight, waits for a
 * server that is starting, and starts one that is used on demand. Errors are `HostError`s: `BUSY`, `NOT_READY`, `CANCELLED`.
 */
export class RequestGate {
  readonly #queue: RequestQueue;

  /** @param inFlight the most requests at once. */
  constructor(
    private readonly connection: GatedConnection,
    inFlight: number,
  ) {
    this.#queue = new RequestQueue(inFlight);
  }

  set inFlight(limit: number) {
    this.#queue.limit = limit;
  }

  /** Whether requests are in flight or waiting. */
  get isBusy(): boolean {
    return !this.#queue.isEmpty;
  }

  /** Passes immediately. False if that is not possible: then call `pass`. */
  tryEnter(signal: AbortSignal | undefined): boolean {
    return this.connection.state.kind === 'ready' && !signal?.aborted && this.#queue.tryEnter();
  }

  /** Sends when the server is ready and it is this request's turn. `limitMs` bounds each wait. */
  async pass<T>(
    action: Phrase | string,
    limitMs: number,
    { signal, waits }: SendOptions,
    send: () => Promise<T>,
  ): Promise<T> {
    if (!this.#queue.tryEnter()) await this.#waitForTurn(action, limitMs, signal);
    try {
      if (this.connection.state.kind !== 'ready' && waits !== false) await this.#waitUntilReady(limitMs, signal);
      if (signal?.aborted) throw this.#error('CANCELLED', action, CANCELLED);
      if (this.connection.state.kind !== 'ready') throw this.#notReady(action);
    } catch (error) {
      this.leave();
      throw error;
    }
    return send();
  }

  /** To be called when a request that passed is over. */
  leave(): void {
    this.#queue.leave();
  }

  async #waitForTurn(action: Phrase | string, limitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const refusal = await this.#queue.wait(limitMs, signal);
    if (refusal === undefined) return;
    if (refusal === 'aborted') throw this.#error('CANCELLED', action, CANCELLED);
    const reason =
      refusal === 'full'
        ? phrase('too many requests are already waiting for it')
        : phrase('it was busy with other requests for {0} s', limitMs / 1_000);
    const remedy = phrase('Restart it if it does not answer, or raise the setting "mcpHost.limits.requestsInFlight".');
    throw this.#error('BUSY', action, reason, remedy);
  }

  async #waitUntilReady(limitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { connection } = this;
    const { entry } = connection.definition;
    const onDemand = connection.startPolicy === 'onDemand';
    if (onDemand && connection.state.kind === 'stopped' && !signal?.aborted)
      void connection.start(phrase('it is needed'));
    const startMs = onDemand && entry ? entry.timeouts.startMs + ENDING_MS : 0;
    await untilSettled(connection, Math.max(limitMs, startMs), signal);
  }

  #notReady(action: Phrase | string): HostError {
    const { state } = this.connection;
    if (state.kind === 'starting' || state.kind === 'reconnecting') {
      const reason = state.kind === 'starting' ? phrase('it is still starting') : phrase('it is still reconnecting');
      const remedy = phrase('Wait until it is ready and try again; its log says what it is doing.');
      return this.#error('NOT_READY', action, reason, remedy);
    }
    if ('error' in state) {
      const { reason, remedy } = state.error.phrases;
      return this.#error('NOT_READY', action, phrase('it is not running: {0}', reason), remedy);
    }
    return this.#error('NOT_READY', action, phrase('it is stopped'), phrase('Start the server and try again.'));
  }

  #error(code: HostErrorCode, action: Phrase | string, reason: Phrase, remedy?: Phrase | string): HostError {
    return new HostError({
      code,
      server: this.connection.definition.name,
      action,
      reason,
      ...(remedy && { remedy }),
    });
  }
}
