import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { INTERNAL_ERROR, messageOf } from '../../base/errors';
import { isObject } from '../../base/json';
import { english, type Phrase, phrase } from '../../base/phrase';
import { typeName } from '../sdk/listResults';

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
