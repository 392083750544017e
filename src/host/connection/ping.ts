import type { Client } from '@modelcontextprotocol/client';
import type { Disposable } from '../../base/events';
import type { Traffic } from '../transport/traffic';
import type { Latencies } from '../vitals/latencies';
import type { ServerInfo } from './session';

/** Misses in a row after which a server counts as gone. */
const MAX_MISSES = 3;
const ANSWER_MS = 10_000;
/** Modern servers keep no session that could be lost: they are only asked now and then whether they are there. */
const MODERN_FACTOR = 10;

/** What is known of a server without asking it. */
export interface Watched {
  readonly client: Client;
  readonly traffic: Traffic | undefined;
}

/**
 * Asks an idle server from time to time whether it is still there: `ping` in the legacy era (spec:
 * basic/utilities/ping), `server/discover` in the modern one and over HTTP only. Three misses in a row report it as lost.
 * One that works on a request may have no time to answer: the limit of that request ends the wait then.
 */
export class Health implements Disposable {
  /** How long the last answer took, in milliseconds. */
  roundTripMs: number | undefined;
  /** When the server last answered anything, in milliseconds since 1970. */
  lastContact = Date.now();
  #misses = 0;
  /** Bytes that had come when it was last looked at. */
  #received: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(
    private readonly server: Watched,
    private readonly info: ServerInfo,
    /** 0: never asks. */
    private readonly intervalMs: number,
    /** Requests are in flight. */
    private readonly isBusy: () => boolean,
    private readonly onLost: () => void,
    private readonly pings?: Latencies,
  ) {
    const asks = info.era === 'legacy' || info.transport === 'http';
    if (asks && intervalMs > 0) this.#schedule();
  }

  /** The server answered something: it need not be asked. */
  contact(): void {
    this.lastContact = Date.now();
    this.#misses = 0;
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const interval = this.info.era === 'legacy' ? this.intervalMs : this.intervalMs * MODERN_FACTOR;
    this.#timer = setTimeout(() => void this.#ask(), interval);
    // Never a reason for the process to go on.
    this.#timer.unref();
  }

  async #ask(): Promise<void> {
    const started = performance.now();
    const wasBusy = this.isBusy();
    this.#hasSpoken();
    try {
      const { client } = this.server;
      const options = { timeout: Math.min(ANSWER_MS, this.intervalMs) };
      await (this.info.era === 'legacy' ? client.ping(options) : client.discover(options));
      this.roundTripMs = performance.now() - started;
      this.pings?.add(this.roundTripMs);
      this.contact();
    } catch (error) {
      if (this.#disposed) return;
      // An error is an answer too: some servers do not know ping.
      if (isAnswer(error)) this.contact();
      else if (!(this.#hasSpoken() || wasBusy || this.isBusy()) && ++this.#misses >= MAX_MISSES) {
        this.onLost();
        return;
      }
    }
    if (!this.#disposed) this.#schedule();
  }

  /** Whether anything came since this was last called: progress, a log message, an answer that is late. It lives then. */
  #hasSpoken(): boolean {
    const before = this.#received;
    this.#received = this.server.traffic?.received;
    if (this.#received === before) return false;
    this.#misses = 0;
    return true;
  }
}

function isAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === 'ProtocolError';
}
