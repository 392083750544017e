import type { JSONRPCMessage, LoggingLevel } from '@modelcontextprotocol/client';
import { wellFormed } from './wellFormed';

/** The content of `notifications/message` (spec: server/utilities/logging). */
export interface LogMessage {
  level: LoggingLevel;
  logger?: string;
  /** Any JSON value. */
  data: unknown;
}

/** Receives the text of each message as it goes over the wire: a line, a body, the data of an event. */
export type Wire = (direction: 'sent' | 'received', text: string) => void;

const levels = new Set<unknown>([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] satisfies LoggingLevel[]);

/** The most messages of a batch that are read. */
export const MAX_BATCH = 1_000;

/**
 * The messages in a text: one, or those of a batch (spec 2025-03-26: basic#batching), whose order is kept. None if it is not
 * JSON, not JSON-RPC 2.0, or holds neither requests nor answers.
 * @param leftOut called when a batch is too long to be read whole.
 */
export function messagesIn(text: string, leftOut: (what: string) => void): readonly JSONRPCMessage[] {
  let value: unknown;
  try {
    // Some servers begin their output with a byte order mark.
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch {
    return [];
  }
  return messagesOf(value, leftOut);
}

/** The messages in what was parsed already: see `messagesIn`. */
export function messagesOf(value: unknown, leftOut: (what: string) => void): readonly JSONRPCMessage[] {
  if (!Array.isArray(value)) {
    const message = messageOf(value);
    return message ? [message] : [];
  }
  const rest = value.length - MAX_BATCH;
  if (rest > 0) leftOut(`${rest} messages of a batch of ${value.length}`);
  return value.slice(0, MAX_BATCH).flatMap(one => messageOf(one) ?? []);
}

function messageOf(given: unknown): JSONRPCMessage | undefined {
  const value = given as Partial<Record<'jsonrpc' | 'method' | 'id' | 'result' | 'error', unknown>> | null;
  if (value?.jsonrpc !== '2.0') return undefined;
  const isCall = typeof value.method === 'string';
  // The SDK would read an empty id as 0.
  const isAnswer = value.id !== '' && (value.result !== undefined || value.error !== undefined);
  return isCall || isAnswer ? wellFormed(value) : undefined;
}

/** The log entry in a message, if it is a log message. A malformed one is left to the SDK, which reports it. */
export function logMessage(message: JSONRPCMessage): LogMessage | undefined {
  if (!('method' in message) || message.method !== 'notifications/message' || 'id' in message) return undefined;
  const { level, logger, data } = (message.params ?? {}) as Record<string, unknown>;
  if (!levels.has(level)) return undefined;
  const log: LogMessage = { level: level as LoggingLevel, data };
  if (typeof logger === 'string') log.logger = logger;
  return log;
}
