import type { Client } from '@modelcontextprotocol/client';
import type { Disposable } from './events';
import type { ServerInfo } from './session';
import type { Latencies } from './vitals/latencies';

/** Misses in a row after which a server counts as gone. */
const MAX_MISSES = 3;
const ANSWER_MS = 10_000;
/** Modern servers keep no session that could be lost: they are only asked now and then whether they are there. */
const MODERN_FACTOR = 10;

/**
 * Asks an idle server from time to time whether it is still there: `ping` in the legacy era (spec:
 * basic/utilities/ping), `server/discover` in the modern one and over HTTP only. Three misses in a row report it as lost.
 */
export class Health implements Disposable {
  /** How long the last answer took, in milliseconds. */
  roundTripMs: number | undefined;
  /** When the server last answered anything, in milliseconds since 1970. */
  lastContact = Date.now();
  #misses = 0;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(
    private readonly client: Client,
    private readonly info: ServerInfo,
    /** 0: never asks. */
    private readonly intervalMs: number,
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
    try {
      const options = { timeout: Math.min(ANSWER_MS, this.intervalMs) };
      await (this.info.era === 'legacy' ? this.client.ping(options) : this.client.discover(options));
      this.roundTripMs = performance.now() - started;
      this.pings?.add(this.roundTripMs);
      this.contact();
    } catch (error) {
      if (this.#disposed) return;
      // An error is an answer too: some servers do not know ping.
      if (isAnswer(error)) this.contact();
      else if (++this.#misses >= MAX_MISSES) {
        this.onLost();
        return;
      }
    }
    if (!this.#disposed) this.#schedule();
  }
}

function isAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === 'ProtocolError';
}
