import { INTERNAL_ERROR, INVALID_PARAMS, SERVER_ERROR } from '../../../base/errors';
import { ownMember } from '../../../base/json';
import { Queue } from '../../../base/queue';
import { PerMinute } from '../../../base/rateAllowance';
import { KeptFor, keptScope, type ProgramStore } from '../../../host/definition';
import type { AuditPort } from '../../trust/core';
import {
  policyOf,
  type SamplingChoice,
  type SamplingPolicy,
  type SamplingServer,
  samplingChoice,
  samplingChoices,
} from './samplingPolicy';

export interface SamplingLimitValues {
  readonly requestsPerMinute: number;
  readonly tokensPerHour: number;
  readonly tokensPerDay: number;
}

/** Where a person sets none (`package.json`). */
export const DEFAULT_LIMITS: SamplingLimitValues = {
  requestsPerMinute: 10,
  tokensPerHour: 100_000,
  tokensPerDay: 500_000,
};

/** Sampling in a tool call that was made while sampling was going on, and so on: at most this deep. */
const MAX_DEPTH = 2;

/** Bounds what each server asks of the models. */
export class SamplingLimits {
  constructor(
    private readonly usage: Pick<SamplingUsage, 'tokens'>,
    private readonly values: () => SamplingLimitValues,
    private readonly requests = new PerMinute(),
  ) {}

  /** Counts a request. Throws a `SamplingError` when it is one too many. */
  enter(server: string, depth: number): void {
    const { requestsPerMinute } = this.values();
    const seconds = Math.ceil(this.requests.wait(server, requestsPerMinute) / 1000);
    if (seconds > 0) {
      throw SamplingError.limited(
        `more than ${requestsPerMinute} requests in a minute. Try again in ${seconds} seconds`,
      );
    }
    if (depth > MAX_DEPTH) {
      throw SamplingError.limited(`sampling within sampling, ${depth} deep; ${MAX_DEPTH} are allowed`);
    }
    this.checkTokens(server);
  }

  /** Throws when the server has used up its tokens. Asked again when a request has waited. */
  checkTokens(server: string): void {
    const { tokensPerHour, tokensPerDay } = this.values();
    for (const [span, most] of [
      ['hour', tokensPerHour],
      ['day', tokensPerDay],
    ] as const) {
      const used = this.usage.tokens(server, span);
      if (used >= most)
        throw SamplingError.limited(`${used} tokens were used in the last ${span}; ${most} are allowed`);
    }
  }
}

/** Something that goes on since then, as `performance.now()` tells. */
export interface Span {
  readonly started: number;
}

/**
 * How deep a request is in sampling: 1 when none of the calls that its server works on was made while a model was answering
 * another request; one more for each that was answering when such a call was made, and still is: it may wait for the call.
 */
export function depthOf(calls: readonly Span[], generating: readonly Span[]): number {
  const around = calls.map(call => generating.filter(({ started }) => started < call.started).length);
  return 1 + Math.max(0, ...around);
}

/** One request after the other; no more than `maxWaiting` wait. Its refusals are those that the server gets. */
export class SamplingQueue extends Queue {
  constructor(maxWaiting: number) {
    super({
      maxWaiting,
      refused: refusal =>
        refusal === 'full'
          ? SamplingError.limited(`${maxWaiting} other requests are waiting for a review. Try again later`)
          : SamplingError.cancelled(),
    });
  }
}

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
    const { tokens = {}, last = [] } = ownMember(all, server) ?? {};
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
  /** Keeps a flood of requests that were refused unasked from filling the audit log. */
  readonly #unasked = new PerMinute();

  constructor(
    private readonly usage: SamplingUsage,
    private readonly audit: AuditPort,
  ) {}

  recordAnswer(server: string, answer: 'allow' | 'send' | 'edit', model: string, tokens: number): void {
    this.audit.record({ type: 'sampling', server, answer, model, tokens });
    void this.usage.record(server, { answer, model, tokens });
  }

  recordRefusal(server: string, { answer, isUnasked }: SamplingError): void {
    // Once a minute: a server that asks a thousand times must not drive all else out of the log.
    if (isUnasked && this.#unasked.wait(`${answer} ${server}`, 1) > 0) return;
    this.audit.record({ type: 'sampling', server, answer });
    void this.usage.record(server, { answer });
  }
}

/** Policies and models by server: the person's choice for it, else the setting. */
export class SamplingChoices {
  constructor(
    private readonly store: ProgramStore,
    private readonly defaultPolicy: () => unknown,
    /** Whether the organization forbids sampling, whatever anybody chooses. */
    private readonly isForbidden = () => false,
  ) {}

  policy(server: SamplingServer): SamplingPolicy {
    return this.isForbidden() ? 'deny' : policyOf(this.store, server, this.defaultPolicy());
  }

  /** Id of the model that the person chose for all requests of a server. */
  model(server: SamplingServer): string | undefined {
    return samplingChoice(this.store, server).model;
  }

  /** The person gave a server another name. */
  async copy(from: SamplingServer, to: SamplingServer): Promise<void> {
    const { policy, model } = samplingChoice(this.store, from);
    await this.set(to, { policy, model });
  }

  /** Keeps part of a choice; `undefined` takes it back. */
  async set(server: SamplingServer, change: { [K in keyof SamplingChoice]?: SamplingChoice[K] | undefined }) {
    const entries = Object.entries({ ...samplingChoice(this.store, server), ...change });
    const said = entries.filter(([, value]) => value !== undefined);
    const choice = said.length > 0 ? new KeptFor<SamplingChoice>(server, Object.fromEntries(said)) : undefined;
    await samplingChoices(this.store).set(keptScope(server.source), server.id, choice);
  }
}

/** The person refused (spec: client/sampling#error-handling). */
const USER_REJECTED = -1;

/** The error that a server gets in place of an answer: its `code` and message travel unchanged. */
export class SamplingError extends Error {
  private constructor(
    readonly code: number,
    message: string,
    /** For the audit log. */
    readonly answer: 'denied' | 'unanswered' | 'discarded' | 'invalid' | 'limited' | 'cancelled' | 'failed',
    /** Refused at once, so that a server can bring about any number of them. */
    readonly isUnasked = false,
  ) {
    super(message);
    this.name = 'SamplingError';
  }

  static denied(): SamplingError {
    return new SamplingError(USER_REJECTED, 'User rejected sampling request', 'denied');
  }

  /** By a choice or rule that holds for all requests of a server. */
  static deniedAlways(message: string): SamplingError {
    return new SamplingError(USER_REJECTED, message, 'denied', true);
  }

  static discarded(): SamplingError {
    return new SamplingError(USER_REJECTED, 'User rejected the answer of the model', 'discarded');
  }

  /** No answer came in time, which allows nothing. */
  static unanswered(minutes: number): SamplingError {
    return new SamplingError(USER_REJECTED, `Nobody answered the review within ${minutes} minutes`, 'unanswered');
  }

  static invalid(reason: string): SamplingError {
    return new SamplingError(INVALID_PARAMS, `Sampling request refused: ${reason}`, 'invalid');
  }

  static limited(reason: string): SamplingError {
    return new SamplingError(SERVER_ERROR, `Sampling request refused: ${reason}`, 'limited', true);
  }

  static cancelled(): SamplingError {
    return new SamplingError(INTERNAL_ERROR, 'Sampling request was cancelled', 'cancelled');
  }

  static failed(reason: string): SamplingError {
    return new SamplingError(INTERNAL_ERROR, `No answer from a language model: ${reason}`, 'failed');
  }
}
