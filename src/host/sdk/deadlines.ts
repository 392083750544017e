import {
  DEFAULT_REQUEST_TIMEOUT_MSEC,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { MAX_TIMER_MS } from '../../base/numberText';

/** The limits of a request, with the same meaning as in the SDK. */
export type Limits = Pick<RequestOptions, 'timeout' | 'maxTotalTimeout' | 'resetTimeoutOnProgress'>;

/** The time limit of one request. `Deadlines` alone changes it. */
export abstract class Deadline {
  /** Its index among the running ones; -1 if it is not running. */
  place = -1;
  /** When it expires. This, `startedAt` and `heldSince` are times of the clock of its `Deadlines`. */
  at = 0;
  startedAt = 0;
  /** How many holds are on it, and since when it has been paused. */
  holds = 0;
  heldSince = 0;

  constructor(readonly limits: Limits) {}

  /** Called once, when it has expired. */
  abstract expired(error: SdkError): void;
}

/** Measures how long a server takes. It stands still while a person, or their model, answers what the server asks. */
export class ServerClock {
  #worked = 0;
  #holds = 0;
  #since: number;

  constructor(private readonly now: () => number) {
    this.#since = now();
  }

  /** In milliseconds. */
  get ms(): number {
    return this.#worked + (this.#holds === 0 ? this.now() - this.#since : 0);
  }

  hold(): void {
    if (this.#holds++ === 0) this.#worked += this.now() - this.#since;
  }

  release(): void {
    if (--this.#holds === 0) this.#since = this.now();
  }
}

/**
 * The time limits of all requests in flight on one connection. Unlike those of the SDK, they can be paused and resumed. One
 * timer serves all, because a timer for each would be a good part of the cost of a call.
 */
export class Deadlines {
  readonly #running: Deadline[] = [];
  readonly #clocks = new Set<ServerClock>();
  /** The timer fires at what was the earliest limit when it was set. */
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #isStill = false;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** A clock of the time that the server takes for a request, until `stop`. */
  startClock(): ServerClock {
    const clock = new ServerClock(this.now);
    this.#clocks.add(clock);
    return clock;
  }

  stop(clock: ServerClock): void {
    this.#clocks.delete(clock);
  }

  start(deadline: Deadline): void {
    deadline.startedAt = this.now();
    deadline.place = this.#running.push(deadline) - 1;
    this.#renew(deadline, deadline.startedAt);
  }

  /** To be called when its request is over. */
  end(deadline: Deadline): void {
    const { place } = deadline;
    if (place === -1) return;
    deadline.place = -1;
    const last = this.#running.pop()!;
    if (last === deadline) return;
    this.#running[place] = last;
    last.place = place;
  }

  /** A sign of life extends the limit (spec: basic/lifecycle#timeouts), but never beyond the total limit. */
  progress(deadline: Deadline): void {
    if (deadline.limits.resetTimeoutOnProgress && deadline.place !== -1) this.#renew(deadline, this.now());
  }

  /** Pauses one. If it is paused twice, it has to be released twice. */
  hold(deadline: Deadline): void {
    if (++deadline.holds === 1) deadline.heldSince = this.now();
  }

  /** The time while it was paused does not count, and the next answer has the full limit again. */
  release(deadline: Deadline): void {
    if (--deadline.holds > 0) return;
    const now = this.now();
    deadline.startedAt += now - deadline.heldSince;
    if (deadline.place !== -1) this.#renew(deadline, now);
  }

  /**
   * Waits for a person without counting that time against the limits of requests in flight: a tool call that asks a question
   * does not time out while someone fills in its form. Requests that begin later have nothing to do with the question, and
   * keep their limits. A withdrawn question no longer holds anything up, even if the person is still looking at it.
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

  /** Pauses all that are running now. Returns a function that resumes them. */
  holdAll(): () => void {
    const held = [...this.#running];
    const clocks = [...this.#clocks];
    for (const deadline of held) this.hold(deadline);
    for (const clock of clocks) clock.hold();
    return () => {
      // Emptied, because calling this twice must not end another hold.
      for (const deadline of held.splice(0)) this.release(deadline);
      for (const clock of clocks.splice(0)) clock.release();
    };
  }

  /** From now on none expires: a debugger may have stopped the server. */
  standStill(): void {
    this.#isStill = true;
    this.close();
  }

  /** To be called when the connection is gone, which ends its requests. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #renew(deadline: Deadline, now: number): void {
    const { timeout = DEFAULT_REQUEST_TIMEOUT_MSEC, maxTotalTimeout } = deadline.limits;
    const latest = maxTotalTimeout ? deadline.startedAt + maxTotalTimeout : Number.POSITIVE_INFINITY;
    deadline.at = Math.min(now + timeout, latest);
    if (!this.#isStill && deadline.at < this.#timerAt) this.#watch(deadline.at);
  }

  #watch(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    const waitMs = Math.min(Math.max(1, Math.ceil(at - this.now())), MAX_TIMER_MS);
    // What lies in the pipe already is read first: an answer is not late because this process was busy.
    this.#timer = setTimeout(() => setImmediate(() => this.#look()), waitMs);
    // The timer outlasts the requests, and must not keep the process alive.
    this.#timer.unref();
  }

  #look(): void {
    if (this.#timerAt === Number.POSITIVE_INFINITY) return; // closed meanwhile
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.now();
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of [...this.#running]) {
      // The handler of one that expires may end another.
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
