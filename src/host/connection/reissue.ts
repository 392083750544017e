import { setTimeout as delay } from 'node:timers/promises';
import type { ElicitRequestURLParams, Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../base/errors';
import { URL_ELICITATION_REQUIRED } from '../../base/errors';
import type { ServerInfo } from '../sdk/serverInfo';
import { WAITS_MS } from '../transport/backoff';
import type { ConnectionOptions } from './connectionOptions';

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

/**
 * Whether a call requests a task. Some tools require it, and long calls then escape the time limit of a call. In the modern
 * era the server decides.
 */
export function isTaskTool({ execution }: Tool, info: ServerInfo | undefined): boolean {
  const asksForTask = execution?.taskSupport === 'required' || execution?.taskSupport === 'optional';
  return asksForTask && info?.era === 'legacy' && info.capabilities.tasks?.requests?.tools?.call !== undefined;
}

/**
 * Whether settings allow repeating a call that may have been carried out. That a tool only reads, or that
 * calling it twice has no more effect than calling it once, is the server's word and not a proof.
 */
export function isReplayable({ annotations = {} }: Tool, { replaySafeCalls }: ConnectionOptions): boolean {
  const [reads, isIdempotent] = [annotations.readOnlyHint === true, annotations.idempotentHint === true];
  switch (replaySafeCalls?.() ?? 'readOnlyAndIdempotent') {
    case 'readOnlyAndIdempotent':
      return reads && isIdempotent;
    case 'readOnlyOrIdempotent':
      return reads || isIdempotent;
    case 'never':
      return false;
  }
}

const MAX_URLS = 5;

/** The pages that a refused request requires; empty for any other error. */
export function requiredUrls(error: unknown): ElicitRequestURLParams[] {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== URL_ELICITATION_REQUIRED || !Array.isArray(data?.elicitations)) return [];
  return data.elicitations.filter(isUrlRequest).slice(0, MAX_URLS);
}

function isUrlRequest(value: Partial<ElicitRequestURLParams> | null): boolean {
  const { url, message, elicitationId } = value ?? {};
  return [url, message, elicitationId].every(text => typeof text === 'string');
}
