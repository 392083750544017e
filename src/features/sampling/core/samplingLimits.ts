import { SamplingError } from './samplingError';
import type { SamplingUsage } from './samplingUsage';

const MINUTE_MS = 60_000;

/** The sampling limits of one server. */
export interface SamplingLimitValues {
  readonly requestsPerMinute: number;
  readonly tokensPerHour: number;
  readonly tokensPerDay: number;
}

/** Sampling in a tool call that was made while sampling was going on, and so on: at most this deep. */
export const MAX_DEPTH = 2;

/** Bounds what each server asks of the models. */
export class SamplingLimits {
  /** When the requests of the last minute came, by server: at most as many as are allowed. */
  readonly #times = new Map<string, number[]>();

  constructor(
    private readonly usage: Pick<SamplingUsage, 'tokens'>,
    private readonly values: () => SamplingLimitValues,
    private readonly now: () => number = Date.now,
  ) {}

  /** Counts a request. Throws a `SamplingError` when it is one too many. */
  enter(server: string, depth: number): void {
    const { requestsPerMinute } = this.values();
    const now = this.now();
    const times = (this.#times.get(server) ?? []).filter(time => time > now - MINUTE_MS);
    this.#times.set(server, times);
    if (times.length >= requestsPerMinute) {
      const seconds = Math.max(1, Math.ceil((times[0]! + MINUTE_MS - now) / 1000));
      throw SamplingError.limited(
        `more than ${requestsPerMinute} requests in a minute. Try again in ${seconds} seconds`,
      );
    }
    times.push(now);
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
