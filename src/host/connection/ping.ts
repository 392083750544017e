import type {
  Client,
  DiscoverResult,
  Implementation,
  RequestOptions,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors';
import type { Disposable } from '../../base/events';
import { canonicalJson } from '../../base/fingerprint';
import { type Phrase, phrase } from '../../base/phrase';
import { BURST_MS } from '../catalog/catalogPart';
import { lifetime, type ServerInfo } from '../sdk/serverInfo';
import type { Traffic } from '../transport/incomingMessages';
import type { ConnectionLog } from './connectionLog';
import type { Latencies } from './vitals';

/** Misses in a row after which a server counts as gone. */
const MAX_MISSES = 3;
const ANSWER_MS = 10_000;
/** Modern servers keep no session that could be lost, so they are pinged less often. */
const MODERN_FACTOR = 10;

/** Facts about a server that are known without a request. */
interface WatchedPeer {
  readonly client: Client;
  readonly traffic: Traffic | undefined;
}

/** The parts of a connection that `Pings` reads and reports to. */
interface Watcher {
  isBusy(): boolean;
  /** Reports that the server counts as lost. */
  lost(reason: Phrase): void;
  changed(info: ServerInfo): void;
  readonly log: Pick<ConnectionLog, 'write'>;
  readonly pings?: Latencies;
}

/**
 * Pings an idle server: `ping` in the legacy era (spec: basic/utilities/ping), `server/discover` in the modern one and over
 * HTTP only. Three misses in a row report it as lost. A server that works on a request may have no time to answer, so the
 * limit of that request applies instead.
 *
 * Each answer to `server/discover` is applied: instructions, capabilities, identity (spec: server/discover).
 */
export class Pings implements Disposable {
  /** How long the last answer took, in milliseconds. */
  roundTripMs: number | undefined;
  /** When the server last answered anything, in milliseconds since 1970. */
  lastContact = Date.now();
  #misses = 0;
  /** Bytes received at the last check. */
  #received: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #disposed = false;
  /** When it last answered `server/discover`, and how long that answer is valid, in milliseconds. */
  #discovered: { readonly at: number; readonly ttlMs: number };

  constructor(
    private readonly server: WatchedPeer,
    private info: ServerInfo,
    /** 0: never asks. */
    private readonly intervalMs: number,
    private readonly watcher: Watcher,
  ) {
    this.#discovered = { at: Date.now(), ttlMs: info.ttlMs ?? 0 };
    const asks = info.era === 'legacy' || info.transport === 'http';
    if (asks && intervalMs > 0) this.#schedule();
  }

  /** Notes that the server answered a request, so that no ping is needed. */
  contact(): void {
    this.lastContact = Date.now();
    this.#misses = 0;
  }

  /**
   * Repeats `server/discover` in the modern era if the lifetime of the last answer is over (spec: server/utilities/caching).
   * Call it before the answer is used. Never rejects: after a failure the old answer stays.
   */
  async refreshIfStale(): Promise<void> {
    const { at, ttlMs } = this.#discovered;
    if (this.info.era !== 'modern' || Date.now() < at + Math.max(ttlMs, BURST_MS)) return;
    this.#discovered = { at: Date.now(), ttlMs: 0 };
    await this.#discover({ timeout: ANSWER_MS }).catch(() => {});
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const interval = this.info.era === 'legacy' ? this.intervalMs : this.intervalMs * MODERN_FACTOR;
    this.#timer = setTimeout(() => void this.#ping(), interval);
    // The timer must not keep the process alive.
    this.#timer.unref();
  }

  async #ping(): Promise<void> {
    const started = performance.now();
    const { isBusy } = this.watcher;
    const wasBusy = isBusy();
    this.#hasSpoken();
    try {
      const { client } = this.server;
      const options = { timeout: Math.min(ANSWER_MS, this.intervalMs) };
      await (this.info.era === 'legacy' ? client.ping(options) : this.#discover(options));
      this.roundTripMs = performance.now() - started;
      this.watcher.pings?.add(this.roundTripMs);
      this.contact();
    } catch (error) {
      if (this.#disposed) return;
      // An error is an answer too: some servers do not know ping.
      if ((error as Error).name === 'ProtocolError') this.contact();
      else if (this.#isMissed(error, this.#hasSpoken() || wasBusy || isBusy())) {
        this.watcher.lost(phrase('it no longer answers'));
        return;
      }
    }
    if (!this.#disposed) this.#schedule();
  }

  /** Counts an unanswered ping. @returns whether it was one too many. */
  #isMissed(error: unknown, isExcused: boolean): boolean {
    if (!isExcused) this.#misses++;
    const what = isExcused ? 'it is at work' : `${this.#misses} of ${MAX_MISSES}`;
    this.watcher.log.write(isExcused ? 'debug' : 'notice', `no answer to a ping (${what}): ${messageOf(error, 200)}`);
    return this.#misses >= MAX_MISSES;
  }

  /** Sends `server/discover` and applies the answer. */
  async #discover(options: RequestOptions): Promise<void> {
    const result = await this.server.client.discover(options);
    if (this.#disposed) return;
    const { protocolVersion } = this.info;
    if (!result.supportedVersions.includes(protocolVersion)) {
      this.watcher.lost(phrase('it no longer speaks version {0} of the protocol', protocolVersion));
      return;
    }
    const info = { ...this.info, ...saidOf(result) };
    this.#discovered = { at: Date.now(), ttlMs: info.ttlMs };
    const isSame = canonicalJson({ ...info, ttlMs: 0 }) === canonicalJson({ ...this.info, ttlMs: 0 });
    this.info = info;
    if (isSame) return;
    this.watcher.log.write('info', 'what it says of itself has changed');
    this.watcher.changed(info);
  }

  /** Whether anything arrived since the last call: progress, a log message, a late answer. Then the server is alive. */
  #hasSpoken(): boolean {
    const before = this.#received;
    this.#received = this.server.traffic?.received;
    if (this.#received === before) return false;
    this.#misses = 0;
    return true;
  }
}

/** The part of `Pings` that others may use. */
export type KnownPings = Pick<Pings, 'roundTripMs' | 'lastContact' | 'refreshIfStale'>;

/** The SDK's constant, as its value would load the SDK before the first program starts. */
const SERVER_INFO: typeof SERVER_INFO_META_KEY = 'io.modelcontextprotocol/serverInfo';

/** The server info in an answer to `server/discover`. */
function saidOf({ capabilities, instructions, ttlMs, _meta }: DiscoverResult) {
  const implementation = _meta?.[SERVER_INFO] as Implementation | undefined;
  return { capabilities, instructions, ttlMs: lifetime(ttlMs), ...(implementation && { implementation }) };
}
