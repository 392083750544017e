import {
  DEFAULT_REQUEST_TIMEOUT_MSEC,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';

/** What a request says of its limits; they mean what they mean to the SDK. */
export type Limits = Pick<RequestOptions, 'timeout' | 'maxTotalTimeout' | 'resetTimeoutOnProgress'>;

const MAX_TIMER_MS = 2 ** 31 - 1;

/** The time limit of one request. `Deadlines` alone changes it. */
export abstract class Deadline {
  /** Its place among those that run; -1 when it does not. */
  place = -1;
  /** When it runs out; this, `startedAt` and `heldSince` as the clock of its `Deadlines` says. */
  at = 0;
  startedAt = 0;
  /** How often it was stopped, and since when it stands still. */
  holds = 0;
  heldSince = 0;

  constructor(readonly limits: Limits) {}

  /** Called once, when it has run out. */
  abstract expired(error: SdkError): void;
}

/**
 * The time limits of all requests in flight on one connection, which can be stopped and set going again: those of the SDK
 * can't. One timer for all, as a timer for each is a good part of what a call costs.
 */
export class Deadlines {
  readonly #running: Deadline[] = [];
  /** It comes at the earliest limit that there was when it was set. */
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(private readonly now: () => number = () => performance.now()) {}

  start(deadline: Deadline): void {
    deadline.startedAt = this.now();
    deadline.place = this.#running.push(deadline) - 1;
    this.#renew(deadline, deadline.startedAt);
  }

  /** Its request is over. */
  end(deadline: Deadline): void {
    const { place } = deadline;
    if (place === -1) return;
    deadline.place = -1;
    const last = this.#running.pop()!;
    if (last === deadline) return;
    this.#running[place] = last;
    last.place = place;
  }

  /** A sign of life moves the limit (spec: basic/lifecycle#timeouts), but never beyond the limit of the whole. */
  progress(deadline: Deadline): void {
    if (deadline.limits.resetTimeoutOnProgress && deadline.place !== -1) this.#renew(deadline, this.now());
  }

  /** Stops one; stopped twice, it has to be released twice. */
  hold(deadline: Deadline): void {
    if (++deadline.holds === 1) deadline.heldSince = this.now();
  }

  /** The time that it stood still does not count, and the next answer has the whole limit again. */
  release(deadline: Deadline): void {
    if (--deadline.holds > 0) return;
    const now = this.now();
    deadline.startedAt += now - deadline.heldSince;
    if (deadline.place !== -1) this.#renew(deadline, now);
  }

  /**
   * Waits for a person without taking that time from the limits of the requests in flight: a tool call that asks in between
   * is not late while somebody fills in its form. Requests that begin later have nothing to do with the question, and keep
   * their limits. A question that is withdrawn holds nothing up, whoever still thinks of it.
   */
  async whileAsking<T>(signal: AbortSignal, wait: () => Promise<T>): Promise<T> {
    const release = this.holdAll();
    if (signal.aborted) release();
    signal.addEventListener('abort', release);
    try {
      return await wait();
    } finally {
      signal.removeEventListener('abort', release);
      release();
    }
  }

  /** Stops all that run now, until what is returned is called. */
  holdAll(): () => void {
    const held = [...this.#running];
    for (const deadline of held) this.hold(deadline);
    return () => {
      // Emptied: calling this twice must not end another hold.
      for (const deadline of held.splice(0)) this.release(deadline);
    };
  }

  /** The connection is gone, and its requests end with it. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #renew(deadline: Deadline, now: number): void {
    const { timeout = DEFAULT_REQUEST_TIMEOUT_MSEC, maxTotalTimeout } = deadline.limits;
    const latest = maxTotalTimeout ? deadline.startedAt + maxTotalTimeout : Number.POSITIVE_INFINITY;
    deadline.at = Math.min(now + timeout, latest);
    if (deadline.at < this.#timerAt) this.#watch(deadline.at);
  }

  #watch(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    const waitMs = Math.min(Math.max(1, Math.ceil(at - this.now())), MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#look(), waitMs);
    // It outlasts the requests, and must not keep the process.
    this.#timer.unref();
  }

  #look(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.now();
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of [...this.#running]) {
      // What one does as it runs out may end another.
      if (deadline.holds > 0 || deadline.place === -1) continue;
      if (deadline.at > now) {
        next = Math.min(next, deadline.at);
        continue;
      }
      this.end(deadline);
      const { timeout = DEFAULT_REQUEST_TIMEOUT_MSEC } = deadline.limits;
      deadline.expired(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', { timeout }));
    }
    if (next < this.#timerAt) this.#watch(next);
  }
}
