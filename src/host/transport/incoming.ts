import type { JSONRPCMessage, LoggingLevel } from '@modelcontextprotocol/client';
import { wellFormed } from './wellFormed';

/** What a server says in `notifications/message` (spec: server/utilities/logging). */
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

/** The message on a line, or undefined if there is none: not JSON, not JSON-RPC 2.0, neither request nor answer. */
export function parseLine(line: string): JSONRPCMessage | undefined {
  let value: Partial<Record<'jsonrpc' | 'method' | 'id' | 'result' | 'error', unknown>> | null;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
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
