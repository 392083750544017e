import type { ElicitRequestURLParams, Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../base/errors';
import { URL_ELICITATION_REQUIRED } from '../../base/errors';
import type { ServerInfo } from '../sdk/serverInfo';
import type { ConnectionOptions } from './connectionOptions';

/** The answer can't come any more; whether the request was carried out is not known. */
const UNANSWERED = new Set<HostError['code']>(['CLOSED', 'EXITED', 'UNREACHABLE']);

/** Whether the answer to a request was lost, so that it may have been carried out. */
export const isUnanswered = ({ code }: HostError): boolean => UNANSWERED.has(code);

interface Repetition<T> {
  /** Sends it, as a new request. */
  send(): Promise<T>;
  /** Waits until it may be sent, after this error and so many attempts. False: it must not be sent any more. */
  ready(last: HostError, attempts: number): Promise<boolean>;
}

/** The most repetitions, as for the result of a task. */
const MAX_TIMES = 10;

/**
 * Sends a request again for as long as only its answer was lost (spec 2026-07-28: basic/transports/streamable-http). Rejects
 * with the error of the last attempt.
 * @param error of the first attempt.
 */
export async function sendAgain<T>(error: HostError, { send, ready }: Repetition<T>): Promise<T> {
  let last = error;
  for (let attempts = 0; attempts < MAX_TIMES; attempts++) {
    if (last.code !== 'SESSION_LOST' && !isUnanswered(last)) break;
    if (!(await ready(last, attempts))) break;
    try {
      return await send();
    } catch (again) {
      // The reason for the end is more useful than the failed restart.
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
  const isWhole = ({ url, message, elicitationId }: Partial<ElicitRequestURLParams>) =>
    [url, message, elicitationId].every(text => typeof text === 'string');
  return data.elicitations.filter(one => isWhole(Object(one))).slice(0, MAX_URLS);
}
