import type { RequestOptions } from '@modelcontextprotocol/client';
import { type Phrase, PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';

/** Options of a call that may become a task, or that follows one. */
export interface TaskOptions extends RequestOptions {
  /** Calls nothing, and follows this task of an earlier call. */
  taskId?: string;
  /** Called when the call has become a task with this id. */
  onTask?: (taskId: string) => void;
}

const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

/** The state of a task as reported by a server, in either era. Times are in milliseconds. */
export interface Task {
  readonly id: string;
  readonly status: (typeof STATUSES)[number];
  readonly isOver: boolean;
  readonly message: string | undefined;
  /** How long the server keeps it, from its creation; undefined: forever. */
  readonly ttlMs: number | undefined;
  /** How long to wait before polling it again. */
  readonly pollMs: number;
  /** Everything that the server said, including `result`, `error` and `inputRequests` (modern era). */
  readonly raw: Readonly<Record<string, unknown>>;
}

const DEFAULT_POLL_MS = 1_000;
/** The shortest interval of polling, whatever the server asks for. */
const MIN_POLL_MS = 250;
const MAX_POLL_MS = 3_600_000;
const MAX_ID_LENGTH = 4_096;

/**
 * Reads a task from an answer, which may be anything.
 *
 * @param id given if the task is known.
 * @throws PhraseError that completes "could not …: ".
 */
export function readTask(value: unknown, isModern: boolean, id?: string): Task {
  const raw = Object(value) as Record<string, unknown>;
  const { taskId, status: sent, statusMessage } = raw;
  const status = STATUSES.find(one => one === sent);
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > MAX_ID_LENGTH)
    throw new PhraseError(phrase('its task has no id'));
  if (id && taskId !== id) throw new PhraseError(phrase('it returned a different task than the one requested'));
  if (!status) throw new PhraseError(phrase('the status of its task is {0}', visible(JSON.stringify(sent), 100)));
  const ttl = isModern ? raw.ttlMs : raw.ttl;
  const poll = isModern ? raw.pollIntervalMs : raw.pollInterval;
  return {
    id: taskId,
    status,
    isOver: status !== 'working' && status !== 'input_required',
    message: typeof statusMessage === 'string' && statusMessage !== '' ? statusMessage : undefined,
    ttlMs: typeof ttl === 'number' && ttl >= 0 ? ttl : undefined,
    pollMs: typeof poll === 'number' ? Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, poll)) : DEFAULT_POLL_MS,
    raw,
  };
}

/** An error that says how a task ended, with what the server said of that. */
export function taskError(how: Phrase, { message }: Task, options?: ErrorOptions): PhraseError {
  return new PhraseError(message === undefined ? how : phrase('{0}: {1}', how, visible(message, 300)), options);
}
