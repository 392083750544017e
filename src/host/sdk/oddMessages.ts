import {
  type CallToolResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import type { LeftOut } from './leftOut';
import type { LenientMessages } from './lenientMessages';

/**
 * Gives the SDK, of what a server sends, only what it will accept, so that an odd optional part costs nothing else. Results
 * are looked at only after the SDK has refused them; what is read before the SDK sees it is rare: handshakes and questions.
 */
export class OddMessages {
  #reader: LenientMessages | undefined;
  /** The latest request of a handshake. */
  #handshake: JSONRPCRequest | undefined;

  /** @param leftOut called with each part that was left out. */
  constructor(private readonly leftOut?: LeftOut) {}

  sending(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message)) return;
    if (message.method === 'initialize' || message.method === 'server/discover') this.#handshake = message;
  }

  /** A result that was refused with this error, without its odd optional parts. Throws the error if that was not the reason. */
  result(method: string, result: unknown, error: unknown, schema?: StandardSchemaV1): unknown {
    if (!(error instanceof SdkError) || error.code !== SdkErrorCode.InvalidResult) throw error;
    return this.#lenient.result(method, result, error, schema);
  }

  /** The result of a tool call in which these issues were found, likewise. Throws what the SDK would. */
  call(result: unknown, issues: readonly StandardSchemaV1.Issue[]): CallToolResult {
    return this.#lenient.call(result, issues);
  }

  /** A server's request without its odd optional parts, if it is a question for a person or model. */
  question<T extends { method?: unknown }>(request: T): T {
    const { method } = request;
    return method === 'elicitation/create' || method === 'sampling/createMessage'
      ? this.#lenient.fitting(method, request)
      : request;
  }

  /** The answer to a handshake without its odd optional parts; any other as it is. */
  handshake(message: JSONRPCResponse): JSONRPCResponse {
    const { id, method } = this.#handshake ?? {};
    if (!method || id !== message.id || !('result' in message)) return message;
    const schema = method === 'initialize' ? specTypeSchemas.InitializeResult : specTypeSchemas.DiscoverResult;
    const { issues } = schema['~standard'].validate(message.result) as StandardSchemaV1.Result<unknown>;
    return issues ? { ...message, result: this.#lenient.fitting(method, message.result, schema) } : message;
  }

  get #lenient(): LenientMessages {
    if (!this.#reader) {
      const { LenientMessages } = require('./onDemand') as typeof import('./onDemand');
      this.#reader = new LenientMessages(this.leftOut);
    }
    return this.#reader;
  }
}
