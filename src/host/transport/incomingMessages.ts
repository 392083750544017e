import type { JSONRPCMessage, LoggingLevel } from '@modelcontextprotocol/client';
import { INTERNAL_ERROR, messageOf } from '../../base/errors';
import { isObject, parsedJson } from '../../base/json';
import { english, type Phrase, phrase } from '../../base/phrase';
import { typeName } from '../sdk/listResults';
import { LOG_LEVELS } from '../settings/schema';

/** Bytes of messages, including skipped ones; over HTTP, of the unpacked bodies. */
export interface Traffic {
  received: number;
  sent: number;
}

/** The content of `notifications/message` (spec: server/utilities/logging). */
export interface LogMessage {
  level: LoggingLevel;
  logger?: string;
  /** Any JSON value. */
  data: unknown;
}

/** Receives the text of each message as it goes over the wire: a line, a body, the data of an event. */
export type Wire = (direction: 'sent' | 'received', text: string) => void;

/** What transports report of incoming messages, besides those for the SDK. */
export interface IncomingListeners {
  /** A log message of the server. It bypasses the SDK, which would take ten times as long. */
  log(message: LogMessage): void;
  /** Something that is no MCP message; it is skipped. */
  noise(text: string): void;
  /** Something was left out: log messages of a flood, or a message over the limit. Says what, and how many. */
  leftOut(what: string): void;
  wire: Wire;
}

const levels = new Set<unknown>(LOG_LEVELS);

/** The most messages of a batch that are read. */
export const MAX_BATCH = 1_000;

/**
 * The messages in a text: one, or those of a batch (spec 2025-03-26: basic#batching), whose order is kept. None if it is not
 * JSON, not JSON-RPC 2.0, or holds neither requests nor answers.
 * @param leftOut called when a batch is too long to be read whole.
 */
export function messagesIn(text: string, leftOut: (what: string) => void): readonly JSONRPCMessage[] {
  // Some servers begin their output with a byte order mark.
  return messagesOf(parsedJson(text.startsWith('\ufeff') ? text.slice(1) : text), leftOut);
}

/** The messages in what was parsed already: see `messagesIn`. */
export function messagesOf(value: unknown, leftOut: (what: string) => void): readonly JSONRPCMessage[] {
  if (!Array.isArray(value)) {
    const message = readMessage(value);
    return message ? [message] : [];
  }
  const rest = value.length - MAX_BATCH;
  if (rest > 0) leftOut(`${rest} messages of a batch of ${value.length}`);
  return value.slice(0, MAX_BATCH).flatMap(one => readMessage(one) ?? []);
}

function readMessage(given: unknown): JSONRPCMessage | undefined {
  const value = given as Partial<Record<'jsonrpc' | 'method' | 'id' | 'result' | 'error', unknown>> | null | undefined;
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

/** Marks, in `error.data`, an answer that replaces an unusable one. No server can send it. */
export class Malformed {
  /** @param phrase why it could not be used. */
  constructor(readonly phrase: Phrase) {}
}

type Json = Record<string, unknown>;

/**
 * Converts a message to a form that the SDK accepts. The SDK skips anything that is not exactly JSON-RPC, and the caller
 * would wait until the time limit. Here, `"error": null` next to a result, `"params": null`, `"_meta": null`, a null `id` next
 * to a method and unknown members are removed, because many servers send them; an unusable answer becomes an error that says
 * why (`Malformed`).
 */
export function wellFormed(message: Json): JSONRPCMessage {
  if (typeof message.method === 'string') return wellFormedCall(message);
  const { id, result, error } = message;
  if (error !== undefined && error !== null) {
    if (isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string') {
      return 'result' in message ? answer(id, { error }) : (message as unknown as JSONRPCMessage);
    }
    const text = isObject(error) ? error.message : error;
    const why = phrase('its error does not follow the specification');
    return malformed(id, typeof text === 'string' ? phrase('{0}: {1}', why, messageOf(text, 200)) : why);
  }
  if (!isObject(result))
    return malformed(id, phrase('its result is {0}, not an object', typeName(result ?? undefined)));
  if (result._meta === null) return answer(id, { result: withoutMeta(result) });
  if (result._meta !== undefined && !isObject(result._meta))
    return malformed(id, phrase('its "_meta" is not an object'));
  return hasOnly(message, 3) ? (message as unknown as JSONRPCMessage) : answer(id, { result });
}

function wellFormedCall(message: Json): JSONRPCMessage {
  const { jsonrpc, id, method, params } = message;
  const members = 2 + Number('id' in message) + Number('params' in message);
  const hasNull = params === null || id === null || (isObject(params) && params._meta === null);
  if (!hasNull && hasOnly(message, members)) return message as unknown as JSONRPCMessage;
  return {
    jsonrpc,
    method,
    ...((id ?? null) !== null && { id }),
    ...((params ?? null) !== null && {
      params: isObject(params) && params._meta === null ? withoutMeta(params) : params,
    }),
  } as JSONRPCMessage;
}

function withoutMeta({ _meta, ...others }: Json): Json {
  return others;
}

/** Whether there are no members other than the given number of known ones. */
function hasOnly(message: Json, count: number): boolean {
  for (const _ in message) if (--count < 0) return false;
  return true;
}

function malformed(id: unknown, why: Phrase): JSONRPCMessage {
  return answer(id, { error: { code: INTERNAL_ERROR, message: english(why), data: new Malformed(why) } });
}

function answer(id: unknown, outcome: object): JSONRPCMessage {
  return { jsonrpc: '2.0', id, ...outcome } as JSONRPCMessage;
}

/** This many may come at once… */
const BURST = 100_000;
/** …and this many per second in the long run. */
const PER_SECOND = 10_000;
const REPORT_MS = 1_000;
/** Work triggered by writing gets a turn once per this many lines: about every millisecond. */
export const LINES_PER_SETTLE = 64;

const alwaysPass = new Set<LoggingLevel>(LOG_LEVELS.slice(LOG_LEVELS.indexOf('warning')));

/**
 * Limits log messages to a rate far above what a person could read. Warnings and worse always pass. Dropped messages are
 * counted and reported, at most once a second.
 */
export class LogGate {
  #allowance: number;
  #at = performance.now();
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly onLeftOut: (count: number) => void,
    private readonly burst = BURST,
    private readonly perSecond = PER_SECOND,
  ) {
    this.#allowance = burst;
  }

  passes(level: LoggingLevel): boolean {
    if (alwaysPass.has(level)) return true;
    const now = performance.now();
    this.#allowance = Math.min(this.burst, this.#allowance + ((now - this.#at) / 1_000) * this.perSecond);
    this.#at = now;
    if (this.#allowance >= 1) {
      this.#allowance--;
      return true;
    }
    this.#leftOut++;
    this.#timer ??= setTimeout(() => this.report(), REPORT_MS).unref();
    return false;
  }

  /** Reports what has not been reported yet. */
  report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#leftOut > 0) this.onLeftOut(this.#leftOut);
    this.#leftOut = 0;
  }
}
