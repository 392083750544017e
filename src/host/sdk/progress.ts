import type { Progress } from '@modelcontextprotocol/client';

/** The values of a progress notification (spec: basic/utilities/progress); undefined if it is malformed. */
export function progressOf({ progress, total, message }: Record<string, unknown>): Progress | undefined {
  if (typeof progress !== 'number') return undefined;
  if (total !== undefined && typeof total !== 'number') return undefined;
  if (message !== undefined && typeof message !== 'string') return undefined;
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
}

/** The most updates a second that are forwarded. */
const RATE = 20;
const INTERVAL_MS = 1_000 / RATE;
const MAX_MESSAGE_LENGTH = 1_000;

/**
 * Forwards progress updates of a server (spec: basic/utilities/progress): only growing values, each at once up to 20 a second.
 * Above that rate, the latest one is forwarded every 50 ms, and the last one always.
 */
export class ProgressGate {
  #highest = Number.NEGATIVE_INFINITY;
  /** Until when the updates that have passed would take at the highest rate. */
  #busyUntil = Number.NEGATIVE_INFINITY;
  #pending: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(private readonly pass: (progress: Progress) => void) {}

  update({ progress, total, message }: Progress): void {
    if (this.#ended || !Number.isFinite(progress) || progress <= this.#highest) return;
    this.#highest = progress;
    const hasTotal = total !== undefined && Number.isFinite(total) && total > 0 && total >= progress;
    this.#pending = {
      progress,
      ...(hasTotal && { total }),
      ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE_LENGTH) }),
    };
    const waitMs = this.#busyUntil - (RATE - 1) * INTERVAL_MS - performance.now();
    if (waitMs <= 0) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), waitMs);
  }

  /** To be called when the request is over: a waiting update passes now, and nothing afterwards. */
  end(): void {
    this.#flush();
    this.#ended = true;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const progress = this.#pending;
    if (!progress) return;
    this.#pending = undefined;
    this.#busyUntil = Math.max(this.#busyUntil, performance.now()) + INTERVAL_MS;
    this.pass(progress);
  }
}
