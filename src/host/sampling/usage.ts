const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MAX_LAST = 20;

/** One request that was answered, or was not. */
export interface SamplingRecord {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `sent`, or why there was no answer. */
  readonly answer: string;
  /** Name of the model, when one was asked. */
  readonly model?: string;
  /** Of request and answer, as the model counts. */
  readonly tokens?: number;
}

interface ServerUsage {
  /** Tokens by minute since 1970, of the last day. */
  tokens: Record<string, number>;
  last: SamplingRecord[];
}

/** Where the counters are kept over a reload of the window. */
export interface UsageStore {
  get(): unknown;
  set(usage: Record<string, unknown>): PromiseLike<void>;
}

/** What sampling has cost, by server. */
export class SamplingUsage {
  readonly #servers = new Map<string, ServerUsage>();

  constructor(
    private readonly store: UsageStore,
    private readonly now: () => number = Date.now,
  ) {
    for (const [server, stored] of Object.entries(store.get() ?? {})) {
      const { tokens = {}, last = [] } = (stored ?? {}) as Partial<ServerUsage>;
      this.#servers.set(server, { tokens: { ...tokens }, last: [...last] });
    }
  }

  async record(server: string, record: Omit<SamplingRecord, 'at'>): Promise<void> {
    const at = this.now();
    const usage = this.#servers.get(server) ?? { tokens: {}, last: [] };
    this.#servers.set(server, usage);
    if (record.tokens) {
      const minute = Math.floor(at / MINUTE_MS);
      usage.tokens[minute] = (usage.tokens[minute] ?? 0) + record.tokens;
    }
    for (const minute of Object.keys(usage.tokens)) {
      if (Number(minute) * MINUTE_MS <= at - DAY_MS - MINUTE_MS) delete usage.tokens[minute];
    }
    usage.last = [{ at, ...record }, ...usage.last].slice(0, MAX_LAST);
    await this.store.set(Object.fromEntries(this.#servers));
  }

  /** Tokens of the last hour or day. */
  tokens(server: string, span: 'hour' | 'day'): number {
    const since = this.now() - (span === 'hour' ? DAY_MS / 24 : DAY_MS);
    return Object.entries(this.#servers.get(server)?.tokens ?? {})
      .filter(([minute]) => (Number(minute) + 1) * MINUTE_MS > since)
      .reduce((sum, [, tokens]) => sum + tokens, 0);
  }

  /** The last requests, newest first. */
  last(server: string): readonly SamplingRecord[] {
    return this.#servers.get(server)?.last ?? [];
  }
}
