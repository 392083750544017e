import type { JSONRPCMessage, LoggingLevel, RequestId } from '@modelcontextprotocol/client';
import { INTERNAL_ERROR, messageOf } from '../../base/errors';
import { isObject, lengthOf } from '../../base/json';
import { english, type Phrase, phrase } from '../../base/phrase';
import { shallowJson } from '../../base/shallowJson';
import { beginningOf } from '../../base/text';
import type { LogEntry } from '../definition/ports';
import { LOG_LEVELS } from '../settings/schema';
import { original, respelled, spellingsOf } from './carried';

/** The content of `notifications/message` (spec: server/utilities/logging). */
export type LogMessage = Omit<LogEntry, 'source'>;

const levels = new Set<unknown>(LOG_LEVELS);
/** In characters. More of a name is not shown. */
const MAX_LOGGER = 200;

/** The most messages of a batch that are read. */
export const MAX_BATCH = 1_000;

/**
 * The messages in a text: one, or those of a batch (spec 2025-03-26: basic#batching), whose order is kept. None if it is not
 * JSON, not JSON-RPC 2.0, or holds neither requests nor answers.
 * @param leftOut called when a batch is too long to be read whole.
 */
export function messagesIn(text: string, leftOut: (what: string) => void): readonly JSONRPCMessage[] {
  // Some servers begin their output with a byte order mark.
  return messagesOf(shallowJson(text.startsWith('\ufeff') ? text.slice(1) : text), leftOut);
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

const ENVELOPE = spellingsOf('jsonrpc', 'method', 'params', 'id', 'result', 'error');
const MEMBERS = new Set(ENVELOPE.values());

function readMessage(given: unknown): JSONRPCMessage | undefined {
  if (!isObject(given)) return undefined;
  const isNamed = 'method' in given || 'result' in given || 'error' in given;
  const value = isNamed && given.jsonrpc === '2.0' ? given : respelled(given, ENVELOPE, '', () => {});
  if (value.jsonrpc !== '2.0' && !isBareMessage(value)) return undefined;
  const isCall = typeof value.method === 'string';
  // The SDK would read an empty id as 0.
  const isAnswer = value.id !== '' && (value.result !== undefined || value.error !== undefined);
  return isCall || isAnswer ? wellFormed(value.jsonrpc === '2.0' ? value : { ...value, jsonrpc: '2.0' }) : undefined;
}

/** Whether an object without the version of JSON-RPC is a message all the same, and no line of a log in JSON. */
function isBareMessage(value: Json): boolean {
  if (!Object.keys(value).every(name => MEMBERS.has(name))) return false;
  if (typeof value.method === 'string') return value.method.startsWith('notifications/');
  return plainId(value.id) !== undefined && (isObject(value.result) || isObject(value.error));
}

/** An id that a request can have, also out of a list of one; undefined for anything else. */
function plainId(id: unknown): RequestId | undefined {
  const one: unknown = Array.isArray(id) && id.length === 1 ? id[0] : id;
  return typeof one === 'number' || typeof one === 'string' ? one : undefined;
}

/** An answer as that to this request, if its id is the same in another form or missing. Others as they are. */
export function answerTo<T extends JSONRPCMessage>(id: RequestId | undefined, message: T): T {
  if ('method' in message || id === undefined || message.id === id) return message;
  const given = plainId(message.id);
  return given === undefined || String(given) === String(id) ? { ...message, id } : message;
}

/** The log entry in a message, if it is a log message. A malformed one is left to the SDK, which reports it. */
export function logMessage(message: JSONRPCMessage): LogMessage | undefined {
  if (!('method' in message) || message.method !== 'notifications/message' || 'id' in message) return undefined;
  const { level, logger, data } = (message.params ?? {}) as Record<string, unknown>;
  if (!levels.has(level)) return undefined;
  const log: LogMessage = { level: level as LoggingLevel, data };
  if (typeof logger === 'string') log.logger = beginningOf(logger, MAX_LOGGER);
  return log;
}

/** Marks, in `error.data`, an answer that replaces an unusable one. No server can send it. */
export class MalformedAnswer {
  /** @param phrase why it could not be used. */
  constructor(readonly phrase: Phrase) {}
}

type Json = Record<string, unknown>;

/**
 * Converts a message to a form that the SDK accepts. The SDK skips anything that is not exactly JSON-RPC, and the caller
 * would wait until the time limit. Here, `"error": null` next to a result, `"params": null`, `"_meta": null`, a null `id` next
 * to a method and unknown members are removed, because many servers send them. A result that is no object is carried in one
 * (`carriedIn`), and an error that is none becomes one that says so (`MalformedAnswer`).
 */
export function wellFormed(message: Json): JSONRPCMessage {
  if (typeof message.method === 'string') return wellFormedCall(message);
  const { result, error } = message;
  const id = plainId(message.id);
  const isPlain = id === message.id || (message.id ?? null) === null;
  if (error !== undefined && error !== null) {
    if (!isObject(error) || !Number.isInteger(error.code) || typeof error.message !== 'string')
      return malformed(id, error);
    const isLong = lengthOf(error) > MAX_ERROR;
    if (isLong || 'result' in message || !isPlain) return answer(id, { error: isLong ? shortened(error) : error });
    return message as unknown as JSONRPCMessage;
  }
  if (!isObject(result) || (result._meta !== undefined && result._meta !== null && !isObject(result._meta)))
    return answer(id, { result: { [original]: result } });
  if (result._meta === null) return answer(id, { result: withoutMeta(result) });
  return hasOnly(message, 3) && isPlain ? (message as unknown as JSONRPCMessage) : answer(id, { result });
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

const withoutMeta = ({ _meta, ...others }: Json): Json => others;

/** Whether there are no members other than the given number of known ones. */
function hasOnly(message: Json, count: number): boolean {
  for (const _ in message) if (--count < 0) return false;
  return true;
}

/** In characters of JSON. A longer error would slow down all that shows it or searches it for secrets. */
const MAX_ERROR = 100_000;

/** An error without the data that would be too long. */
const shortened = ({ code, message }: Json): Json => ({ code, message: beginningOf(String(message), MAX_ERROR / 5) });

function malformed(id: unknown, error: unknown): JSONRPCMessage {
  const { code, message } = isObject(error) ? error : { code: undefined, message: error };
  const why = phrase('its error does not follow the specification');
  const said = typeof message === 'string' ? phrase('{0}: {1}', why, messageOf(message, 200)) : why;
  const number = Number.isInteger(Number(code)) && code !== null && code !== '' ? Number(code) : INTERNAL_ERROR;
  return answer(id, { error: { code: number, message: english(said), data: new MalformedAnswer(said) } });
}

const answer = (id: unknown, outcome: object): JSONRPCMessage => ({ jsonrpc: '2.0', id, ...outcome }) as JSONRPCMessage;
