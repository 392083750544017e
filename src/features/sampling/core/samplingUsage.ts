import type { AuditPort } from '../../trust';
import type { SamplingError } from './samplingError';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MAX_LAST = 20;

/** One request that was answered, or was not. */
interface SamplingRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `sent`, or why there was no answer. */
  readonly answer: string;
  /** Name of the model, when one was asked. */
  readonly model?: string;
  /** Tokens of request and answer, as the model counts. */
  readonly tokens?: number;
}

interface ServerUsage {
  /** Tokens by minute since 1970, of the last day. */
  tokens: Record<string, number>;
  last: SamplingRecord[];
}

/** Where the counters are kept over a reload of the window. */
interface UsageStore {
  get(): unknown;
  set(usage: Record<string, unknown>): PromiseLike<void>;
}

/** The cost of sampling by server: in all windows, as they share the store and each adds to its current value. */
export class SamplingUsage {
  readonly #servers = new Map<string, ServerUsage>();

  constructor(
    private readonly store: UsageStore,
    private readonly now: () => number = Date.now,
  ) {}

  async record(server: string, record: Omit<SamplingRecord, 'at'>): Promise<void> {
    const at = this.now();
    const usage = this.#of(server);
    if (record.tokens) {
      const minute = Math.floor(at / MINUTE_MS);
      usage.tokens[minute] = (usage.tokens[minute] ?? 0) + record.tokens;
    }
    for (const minute of Object.keys(usage.tokens)) {
      if (Number(minute) * MINUTE_MS <= at - DAY_MS - MINUTE_MS) delete usage.tokens[minute];
    }
    usage.last = [{ at, ...record }, ...usage.last].slice(0, MAX_LAST);
    await this.store.set({ ...(this.store.get() ?? {}), [server]: usage });
  }

  /** Tokens of the last hour or day. */
  tokens(server: string, span: 'hour' | 'day'): number {
    const since = this.now() - (span === 'hour' ? DAY_MS / 24 : DAY_MS);
    return Object.entries(this.#of(server).tokens)
      .filter(([minute]) => (Number(minute) + 1) * MINUTE_MS > since)
      .reduce((sum, [, tokens]) => sum + tokens, 0);
  }

  /** The last requests, newest first. */
  last(server: string): readonly SamplingRecord[] {
    return this.#of(server).last;
  }

  /** This window's count with the additions of others: the store may be behind, and each may be ahead. */
  #of(server: string): ServerUsage {
    const all = (this.store.get() ?? {}) as Record<string, Partial<ServerUsage> | undefined>;
    const { tokens = {}, last = [] } = (Object.hasOwn(all, server) && all[server]) || {};
    const known = this.#servers.get(server) ?? { tokens: {}, last: [] };
    for (const [minute, count] of Object.entries(tokens))
      known.tokens[minute] = Math.max(count, known.tokens[minute] ?? 0);
    const seen = new Set(known.last.map(record => JSON.stringify(record)));
    const others = last.filter(record => !seen.has(JSON.stringify(record)));
    if (others.length > 0)
      known.last = [...known.last, ...others].sort((one, other) => other.at - one.at).slice(0, MAX_LAST);
    this.#servers.set(server, known);
    return known;
  }
}

/** Keeps what became of each request: in the audit log, and in what was used. */
export class SamplingLog {
  /** The time of the last audit log line about a server's excessive requests. */
  readonly #limited = new Map<string, number>();

  constructor(
    private readonly usage: SamplingUsage,
    private readonly audit: AuditPort,
  ) {}

  sent(server: string, answer: 'allow' | 'send' | 'edit', model: string, tokens: number): void {
    this.audit.record({ type: 'sampling', server, answer, model, tokens });
    void this.usage.record(server, { answer, model, tokens });
  }

  refused(server: string, { answer }: SamplingError): void {
    if (answer === 'limited') {
      // Once a minute: a server that asks a thousand times must not drive all else out of the log.
      if (Date.now() - (this.#limited.get(server) ?? 0) < MINUTE_MS) return;
      this.#limited.set(server, Date.now());
    }
    this.audit.record({ type: 'sampling', server, answer });
    void this.usage.record(server, { answer });
  }
}
