import type { ElicitRequestURLParams, Tool } from '@modelcontextprotocol/client';
import type { HostError } from '../../base/errors';
import { HEADER_MISMATCH, URL_ELICITATION_REQUIRED } from '../../base/errors';
import type { ServerInfo } from '../sdk/serverInfo';
import type { ConnectionOptions } from './connectionOptions';

/** Why a request has no answer, if it may be sent again at all. */
type Loss = 'session' | 'answer' | 'headers';

function lossOf({ code, rpcCode }: HostError): Loss | undefined {
  if (rpcCode === HEADER_MISMATCH) return 'headers';
  if (code === 'SESSION_LOST') return 'session';
  return code === 'CLOSED' || code === 'EXITED' || code === 'UNREACHABLE' ? 'answer' : undefined;
}

/** `afterEnd`: once the end of the server is noticed; `ifSafe`: then, and if the person and the tool allow it. */
type Resend = 'atOnce' | 'afterPause' | 'afterEnd' | 'ifSafe' | 'asRenewed';

/**
 * How a request is sent again, as a new one (spec 2026-07-28: basic/transports/streamable-http). A server that has forgotten the
 * session, or refused the headers, has not carried it out. If the answer was lost, it may have: that harms no `read`, and a server
 * may have kept a `task`.
 */
const RESENDS: Readonly<Record<'read' | 'task' | 'call', Readonly<Partial<Record<Loss, Resend>>>>> = {
  read: { session: 'atOnce', answer: 'afterPause' },
  task: { session: 'afterEnd', answer: 'afterEnd' },
  call: { session: 'atOnce', answer: 'ifSafe', headers: 'asRenewed' },
};

/** How a request is sent again after this error. Undefined: not at all. */
export function resendOf(kind: keyof typeof RESENDS, error: HostError): Resend | undefined {
  const loss = lossOf(error);
  return loss && RESENDS[kind][loss];
}

interface Repetition<T> {
  /** Sends it, as a new request. */
  send(): Promise<T>;
  /** Waits until it may be sent, after this error and so many attempts. False: it must not be sent any more. */
  ready(last: HostError, attempts: number): Promise<boolean>;
}

/** The most repetitions, as for the result of a task. */
const MAX_TIMES = 10;

/** Sends a request, and sends it again for as long as it may be. Rejects with the error of the last attempt. */
export async function sendAgain<T>({ send, ready }: Repetition<T>): Promise<T> {
  let last: HostError | undefined;
  for (let attempts = 0; ; attempts++) {
    try {
      return await send();
    } catch (error) {
      // The reason for the end is more useful than the failed restart.
      if (last && (error as HostError).code === 'NOT_READY') throw last;
      last = error as HostError;
      if (attempts >= MAX_TIMES || !(await ready(last, attempts))) throw last;
    }
  }
}

/** Whether a call requests a task: some tools require it, and long ones escape the limit. Modern servers decide. */
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
