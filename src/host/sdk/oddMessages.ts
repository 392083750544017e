import {
  type CallToolResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import { withoutNulls } from '../../base/json';
import type { LeftOut, LenientMessages } from './lenient';

/**
 * Id of the era probe. The SDK gives it a text, which servers on mcp-golang drop without an answer; no other request has this
 * number.
 */
const PROBE_ID = 999_999_999;

/**
 * Leaves out of a server's messages the optional fields with invalid values, for which the SDK would refuse the rest. Results
 * are looked at only after the SDK has refused them; what is read before the SDK sees it is rare: handshakes and questions.
 */
export class OddMessages {
  #handshake: JSONRPCRequest | undefined;

  /** @param leftOut called with each part that was left out. */
  constructor(private readonly leftOut?: LeftOut) {}

  /** Whether the era probe is the last that was sent of a handshake, and `initialize` was not. */
  get isProbing(): boolean {
    return this.#handshake?.method === 'server/discover';
  }

  /** @returns the message as it is sent: the probe gets a number as its id. */
  sending(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message) || !('id' in message)) return message;
    if (message.method === 'initialize' || message.method === 'server/discover') this.#handshake = message;
    return message.method === 'server/discover' ? { ...message, id: PROBE_ID } : message;
  }

  /** A result that was refused with this error, without invalid optional fields. Throws the error if they were not the reason. */
  result(method: string, result: unknown, error: unknown, schema?: StandardSchemaV1): unknown {
    if (!(error instanceof SdkError) || error.code !== SdkErrorCode.InvalidResult) throw error;
    return this.#lenient.result(method, result, error, schema);
  }

  /** The result of a tool call in which these issues were found, likewise. Throws what the SDK would. */
  call(result: unknown, issues: readonly StandardSchemaV1.Issue[]): CallToolResult {
    return this.#lenient.call(result, issues);
  }

  /** A server's request without invalid optional fields, if it is a question for a person or model. */
  question<T extends { method?: unknown }>(request: T): T {
    const { method } = request;
    return method === 'elicitation/create' || method === 'sampling/createMessage'
      ? this.#lenient.fitting(method, request)
      : request;
  }

  /** The answer to a handshake without invalid optional fields; any other unchanged. */
  handshake(given: JSONRPCResponse): JSONRPCResponse {
    const { id, method } = this.#handshake ?? {};
    const isOfProbe = this.isProbing && id !== undefined && Number(given.id) === PROBE_ID;
    const message = isOfProbe ? { ...given, id } : answerTo(id, given);
    if (!method || id !== message.id || !('result' in message)) return message;
    const schema = method === 'initialize' ? specTypeSchemas.InitializeResult : specTypeSchemas.DiscoverResult;
    const { issues } = schema['~standard'].validate(message.result) as StandardSchemaV1.Result<unknown>;
    return issues ? { ...message, result: this.#lenient.fitting(method, message.result, schema) } : message;
  }

  get #lenient(): LenientMessages {
    const { LenientMessages } = require('./onDemand') as typeof import('./onDemand');
    return new LenientMessages(this.leftOut);
  }
}

/**
 * An error without an id (JSON-RPC 2.0, 5.1) as the answer to the only request that it can be meant for; any other message as
 * it is.
 */
export function answerTo<T extends JSONRPCMessage>(id: RequestId | undefined, message: T): T {
  const isNameless = 'error' in message && (message.id ?? null) === null;
  return isNameless && id !== undefined ? { ...message, id } : message;
}

/**
 * A notification or a question of the modern era without optional members that are null, or any other message as it is. Events
 * carry data of any kind.
 */
export function withoutNullParts(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message)) {
    if (!('result' in message)) return message;
    const { resultType, ...others } = message.result;
    if (resultType === null) return { ...message, result: others };
    return resultType === 'input_required' ? { ...message, result: withoutNulls(message.result) } : message;
  }
  if ('id' in message || !message.params || message.method.startsWith('notifications/events/')) return message;
  const params = withoutNulls(message.params);
  return params === message.params ? message : { ...message, params };
}
