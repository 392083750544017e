import {
  type CallToolResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
  type StandardSchemaV1,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import { isDeeper, isObject, lengthOf, MAX_LEVELS, withoutNulls } from '../../base/json';
import { createdTask, isInputRequired, isPlainTextResult } from '../reading/answers';
import { anyResult, carriedIn, type Note, original, schemaOf } from '../reading/carried';
import { answerTo } from '../reading/framing';
import { readDiscovered, readInitialized, SHORT_HANDSHAKE } from '../reading/handshake';
import { questionStandIn } from '../reading/peerQuestions';
import { readCompletion, readContents, readPrompt, readToolResult } from '../reading/results';

/** Called with what is not as the specification says in an answer to a method, or in a request by it: see `Note`. */
export type MethodNote = (method: string, ...note: Parameters<Note>) => void;

/** Id of the era probe, a text for the SDK, which servers on mcp-golang drop; no other request has it. */
const PROBE_ID = 999_999_999;

/** Results that pass the checks of the SDK in the modern era, by method: see `standIn`. */
const EMPTY: Readonly<Record<string, object>> = {
  'tools/call': { content: [] },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
  'resources/read': { contents: [] },
  'tools/list': { tools: [] },
  'prompts/list': { prompts: [] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
};

/**
 * A result that passes the checks of the SDK, which come before any schema that it is given in the modern era. It carries the
 * actual result for the reader. A result of another type is judged by the SDK.
 */
export function standIn(method: string, result: unknown): unknown {
  const { resultType } = Object(result) as { resultType?: unknown };
  if (isInputRequired(result)) return result;
  const isTask = method === 'tools/call' && resultType === 'task';
  if (!isTask && typeof resultType === 'string' && resultType !== 'complete') return result;
  return { resultType: 'complete', ...EMPTY[method], ttlMs: 0, cacheScope: 'private', [original]: carriedIn(result) };
}

/** Reads everything of a server before the SDK judges it (`host/reading`), so that no useful part is lost. */
export class PeerReader {
  #handshake: JSONRPCRequest | undefined;
  /** The id of the handshake until it is answered. */
  #awaited: RequestId | undefined;
  /** Whether a handshake was answered: until then, nothing else is asked. */
  #isAnswered = false;

  constructor(private readonly note: MethodNote = () => {}) {}

  /** Whether the era probe is the last that was sent of a handshake, and `initialize` was not. */
  get isProbing(): boolean {
    return this.#handshake?.method === 'server/discover';
  }

  /** @returns the message as it is sent: the probe gets a number as its id. */
  sending(message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message) || !('id' in message)) return message;
    if (message.method === 'initialize' || message.method === 'server/discover') {
      this.#handshake = message;
      this.#awaited = message.id;
    }
    return message.method === 'server/discover' ? { ...message, id: PROBE_ID } : message;
  }

  /** How the result of a method is read. Undefined: as the SDK does. */
  resultOf(method: string, params?: Readonly<Record<string, unknown>>): StandardSchemaV1 | undefined {
    const note: Note = (...note) => this.note(method, ...note);
    const read = {
      'prompts/get': (result: unknown) => readPrompt(result, note),
      'completion/complete': (result: unknown) => readCompletion(result, note),
      'resources/read': (result: unknown) => readContents(result, note, params?.uri as string | undefined),
    }[method];
    if (read) return schemaOf(result => ({ value: read(carriedIn(result)) }));
    return /^(ping|logging\/setLevel|resources\/(un)?subscribe)$/.test(method) ? anyResult : undefined;
  }

  call(result: unknown): CallToolResult {
    return isPlainTextResult(result)
      ? result
      : readToolResult(carriedIn(result), (...note) => this.note('tools/call', ...note));
  }

  /** The result of a tool call, or the task that it has become: see `createdTask`. */
  readonly resultOrTask = schemaOf<unknown>(result => {
    const given = carriedIn(result);
    return { value: createdTask(given) ? given : this.call(given) };
  });

  /** Whether this is the id of a handshake that was not answered before. */
  takes(id: unknown): boolean {
    if (this.#awaited === undefined || id !== this.#awaited) return false;
    this.#awaited = undefined;
    this.#isAnswered = true;
    return true;
  }

  /** The answer to a handshake as the SDK accepts it; any other unchanged. */
  handshake(given: JSONRPCResponse): JSONRPCResponse {
    const { id, method } = this.#handshake ?? {};
    // Servers of Effect send an error for what they don't know under an id of its own.
    const isOfAny = 'error' in given && !this.#isAnswered;
    const isOfProbe = this.isProbing && id !== undefined && (isOfAny || Number(given.id) === PROBE_ID);
    const message = isOfProbe ? { ...given, id } : 'error' in given ? answerTo(id, given) : given;
    if (!method || id !== message.id || !('result' in message)) return message;
    // The SDK's schema calls itself for each level.
    if (isDeeper(message.result, MAX_LEVELS)) return { ...message, result: {} } as JSONRPCResponse;
    const schema = method === 'initialize' ? specTypeSchemas.InitializeResult : specTypeSchemas.DiscoverResult;
    const { issues } = schema['~standard'].validate(message.result) as StandardSchemaV1.Result<unknown>;
    if (!issues && lengthOf(message.result) <= SHORT_HANDSHAKE) return message;
    const note: Note = (...note) => this.note(method, ...note);
    const read = (method === 'initialize' ? readInitialized : readDiscovered)(carriedIn(message.result), note);
    // What is no object is no answer to the SDK, which would wait for one until the limit.
    return { ...message, result: isObject(read) ? read : {} } as JSONRPCResponse;
  }

  /** A question for a person or model as the SDK accepts it; any other request unchanged. */
  question<T extends { method?: unknown; params?: unknown }>(request: T): T {
    const { method, params } = request;
    if (method !== 'elicitation/create' && method !== 'sampling/createMessage') return request;
    return { ...request, params: questionStandIn(method, params, (...note) => this.note(method, ...note)) };
  }
}

/** A notification, or a result that asks for something, without null members; any other message as it is. */
export function withoutNullParts(message: JSONRPCMessage): JSONRPCMessage {
  if ('method' in message) {
    // Events carry data of any kind.
    if ('id' in message || !message.params || message.method.startsWith('notifications/events/')) return message;
    const params = withoutNulls(message.params);
    return params === message.params ? message : { ...message, params };
  }
  if (!('result' in message) || !isObject(message.result)) return message;
  const { resultType } = message.result;
  // Nearly all have no null, and a copy of each would cost as much as the rest.
  if (resultType === null) return { ...message, result: withoutType(message.result) };
  return resultType === 'input_required' ? { ...message, result: withoutNulls(message.result) } : message;
}

const withoutType = ({ resultType: _, ...others }: Record<string, unknown>) => others;
