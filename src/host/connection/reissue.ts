import { setTimeout as delay } from 'node:timers/promises';
import type { HostError } from '../../base/errors';
import { WAITS_MS } from '../transport/backoff';

/** The answer can't come any more; whether the request was carried out is not known. */
const UNANSWERED = new Set<HostError['code']>(['CLOSED', 'EXITED', 'UNREACHABLE']);

/** Whether the answer to a request was lost, so that it may have been carried out. */
export const isUnanswered = ({ code }: HostError): boolean => UNANSWERED.has(code);

/** One request that only reads. */
interface Reissued<T> {
  /** Sends it, as a new request. */
  send(): Promise<T>;
  /** Whether it may be sent now; it then waits for a server that is coming back. */
  mayBeSent(): boolean;
  /** In how many sessions it was sent so far. */
  sessions(): number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request that only reads again after its answer was lost (spec 2026-07-28: basic/transports/streamable-http): after
 * growing waits, and at most once in another session, as the request itself may be what ends them. Rejects with the error of
 * the last attempt.
 * @param error of the first attempt.
 */
export async function reissue<T>(error: HostError, request: Reissued<T>): Promise<T> {
  let last = error;
  for (const waitMs of WAITS_MS) {
    const isLost = last.code === 'SESSION_LOST';
    if (!(isLost || isUnanswered(last)) || request.sessions() > 1) throw last;
    // The server is there, and has not even looked at the request.
    if (!isLost) await delay(waitMs, undefined, request.signal && { signal: request.signal }).catch(() => {});
    if (request.signal?.aborted || !request.mayBeSent()) throw last;
    try {
      return await request.send();
    } catch (again) {
      // The reason for the end is more useful than the failed restart.
      if ((again as HostError).code === 'NOT_READY') throw last;
      last = again as HostError;
    }
  }
  throw last;
}

/** How often a task is followed again. */
const MAX_FOLLOWS = 10;

/** The wait for the result of a task. */
interface Followed<T> {
  send(): Promise<T>;
  /** Resolves when the end of the server was noticed, or after a while. */
  untilEnded(): Promise<void>;
  mayBeSent(): boolean;
}

/**
 * Follows a task again after the server or its session has ended: the server may have kept the task. Rejects with the error
 * of the last attempt.
 * @param error of the first attempt.
 */
export async function followAgain<T>(error: HostError, task: Followed<T>): Promise<T> {
  let last = error;
  for (let times = 0; times < MAX_FOLLOWS; times++) {
    if (!isUnanswered(last) && last.code !== 'SESSION_LOST') break;
    await task.untilEnded();
    if (!task.mayBeSent()) break;
    try {
      return await task.send();
    } catch (again) {
      if ((again as HostError).code === 'NOT_READY') break;
      last = again as HostError;
    }
  }
  throw last;
}
