import {
  type CallToolRequest,
  type CallToolRequestOptions,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  Client,
  type ClientCapabilities,
  type ClientOptions,
  type ConnectOptions,
  type Implementation,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  ProtocolErrorCode,
  type Request,
  type RequestId,
  type RequestOptions,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client';
import { bugIn } from '../../base/errors';
import { isObject, lengthOf } from '../../base/json';
import type { RequestWatch } from '../definition/ports';
import { createdTask, isInputRequired } from '../reading/answers';
import { anyResult, VENDOR } from '../reading/carried';
import { Deadlines } from './deadlines';
import { isKnownMethod } from './methods';
import { DirectCalls, isOwnId, ObservedTransport } from './observedTransport';
import { type MethodNote, PeerReader, standIn, withoutNullParts } from './peerReader';
import { ReceivedTasks } from './receivedTasks';
import type { TaskOptions } from './sentRequests';
import { type RequestHandling, SentRequests } from './sentRequests';
import { cancelTask, followTask } from './tasks';

/** The host's hooks into a connected client. */
export interface ClientHooks {
  /** The least severe log level wanted now. */
  logLevel?(): LoggingLevel;
  /** Why a request from the server is refused before the SDK sees it, in words. */
  problem?(
    method: string,
    params: Record<string, unknown> | undefined,
    declared: ClientCapabilities | undefined,
  ): string | undefined;
  /** The parameters of a request as the SDK takes them, which a handler has to turn back. */
  carried?(method: unknown, params: unknown): unknown;
  /** Called when a request from the server was refused. */
  refused?(problem: string): void;
  /** Called for each part of what the server sent that is not as the specification says. */
  leftOut?: MethodNote;
  /** Called with what becomes of requests that the server makes as tasks. */
  tasks?(said: string, level?: 'info' | 'warning'): void;
  /** Called with the parameters of a notification with content that a tool sends before its result. */
  streamed?(params: Readonly<Record<string, unknown>>): void;
  /** Called when a request with this method is given up, with the reason (spec: basic/utilities/cancellation). */
  cancelled?(method: string, reason: unknown): void;
  /** Sees the requests to the server. Asked for each message. */
  watch?(): RequestWatch | undefined;
  /** Called when the types of events that the server offers have changed (SEP-3415). */
  eventTypesChanged?(): void;
}

/** The revision in which both sides can give each other tasks. */
const VERSION_WITH_TASKS = '2025-11-25';
/** Sent by fastmcp (`streamContent`); it is no method of MCP. */
const STREAMED = 'notifications/tool/streamContent';
const RELATED_TASK = 'io.modelcontextprotocol/related-task';
/** More of a server's questions do not wait at once. What one says of its task is little more than a name. */
const MAX_ASKING = { questions: 1_000, length: 10_000, inputs: 100 };
const TASKS = { 'io.modelcontextprotocol/tasks': {} };

/**
 * The SDK's client as the host needs it, using only its public API. What the SDK can't be made to do happens between it and
 * the transport (`ObservedTransport`).
 *
 * - Time limits that are paused while a person is asked (`deadlines`).
 * - Lists whose items are not checked, in requests with the schema `listResult`.
 * - Calls that become tasks, which are followed to their results, and requests from the server that do (`ReceivedTasks`).
 * - Results of tools that are not checked against the tool's `outputSchema`: see `outputProblem`.
 * - Less work for each tool call: in the legacy era they bypass the client (`DirectCalls`); in the modern era they are given a
 *   schema, without which the SDK would first validate `undefined` to see whether the era has the method, and construct an
 *   error from that.
 * - What accompanies each message in the modern era: the log level (spec: server/utilities/logging), and that a call may
 *   become a task (extension io.modelcontextprotocol/tasks).
 */
export class HostClient extends Client {
  /** The time limits of its requests in flight. */
  readonly deadlines = new Deadlines();
  readonly #cancelled = (method: string, reason: unknown, id: RequestId | undefined) => {
    if (id !== undefined) this.hooks.watch?.()?.failed(id, reason);
    this.hooks.cancelled?.(method, reason);
  };
  readonly #sent = new SentRequests(this.deadlines, this.#cancelled);
  /** The versions of the protocol in its last answer to `server/discover`: any values. */
  offered: readonly unknown[] | undefined;
  /** The id of its latest answer, if nothing was asked under it. */
  strayId: RequestId | undefined;
  /** Follows the handshake, and reads what the server sends. */
  readonly reader: PeerReader;
  /** Set while connected in the legacy era. */
  #direct: DirectCalls | undefined;
  readonly #declared: ClientCapabilities | undefined;
  /** The requests that the server may make as tasks. */
  readonly #taskMethods: ReadonlySet<string>;
  /** The tasks that the server has given us. Set with the first. */
  #receivedTasks: ReceivedTasks | undefined;
  /** The tasks of the server for which it asks for something, by its requests. */
  readonly #asking = new Map<RequestId, unknown>();

  constructor(
    info: Implementation,
    options: ClientOptions = {},
    private readonly hooks: ClientHooks = {},
  ) {
    super(info, options);
    this.#declared = options.capabilities;
    const { sampling, elicitation } = options.capabilities?.tasks?.requests ?? {};
    this.#taskMethods = new Set([
      ...(sampling?.createMessage ? ['sampling/createMessage'] : []),
      ...(elicitation?.create ? ['elicitation/create'] : []),
    ]);
    this.reader = new PeerReader(hooks.leftOut);
  }

  override async connect(transport: Transport, options?: ConnectOptions): Promise<void> {
    const observed: ObservedTransport = new ObservedTransport(transport, {
      sending: sending => {
        assertKnown(sending.message);
        if (this.#receivedTasks?.answered(sending.message)) return undefined;
        const message = this.#withExtras(this.#withTask(sending.message));
        const sent = this.reader.sending(message);
        return this.#sent.sending(sent === sending.message ? sending : { ...sending, message: sent }, observed);
      },
      received: message => this.#received(message, observed),
      closed: () => this.#closed(),
      watch: this.hooks.watch,
    });
    await super.connect(observed, options);
    if (this.getProtocolEra() !== 'legacy' || this.transport !== observed) return;
    this.#direct = new DirectCalls(observed, this.deadlines, this.#cancelled, this.reader);
  }

  override readonly setRequestHandler = this.#reporting(super.setRequestHandler);
  override readonly setNotificationHandler = this.#reporting(super.setNotificationHandler);

  /** Has the mistakes of handlers that are set reach `onerror`, with their stack: the SDK would only answer the server with them. */
  #reporting<Set extends (...args: never[]) => unknown>(set: Set): Set {
    const reported =
      (handle: unknown) =>
      async (...args: unknown[]) => {
        try {
          return await (handle as (...args: unknown[]) => unknown)(...args);
        } catch (error) {
          if (bugIn(error) !== undefined) this.onerror?.(error as Error);
          throw error;
        }
      };
    // The handler comes last in each overload.
    return ((...args: unknown[]) => set.apply(this, args.with(-1, reported(args.at(-1))) as never[])) as unknown as Set;
  }

  override callTool(params: CallToolRequest['params'], options?: CallToolRequestOptions): Promise<CallToolResult> {
    const { toolDefinition } = options ?? {};
    if (!toolDefinition) return super.callTool(params, options);
    const direct = this.#directFor(params, options);
    if (direct) return direct.call(params, options);
    // The SDK would report structured content that does not fit as an error of the server, and withhold the result.
    const { outputSchema: _, ...unchecked } = toolDefinition;
    return super.callTool(params, { ...options, toolDefinition: unchecked });
  }

  override request(request: Request, schemaOrOptions?: unknown, options?: RequestOptions): Promise<never> {
    if (isSchema(schemaOrOptions)) return this.#request(request, schemaOrOptions, options) as Promise<never>;
    return (
      request.method === 'tools/call'
        ? this.#requestCall(request as CallToolRequest, schemaOrOptions as TaskOptions | undefined)
        : this.#request(request, undefined, schemaOrOptions as RequestOptions | undefined)
    ) as Promise<never>;
  }

  /** Answers what a server of the modern era asks for outside our requests, and then makes this request with the answers. */
  requestWithInput<T>(
    request: Request,
    schema: StandardSchemaV1<unknown, T>,
    inputRequests: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<T> {
    return this.#request(request, schema, options, { inputRequests }) as Promise<T>;
  }

  /**
   * Keeps a request open whose answer only ends a stream of notifications, each of which names the request (SEP-3415,
   * `events/stream`). Its time limit is the longest silence.
   */
  stream(request: Request, options: RequestOptions, notified: RequestHandling['notified'] & {}): Promise<unknown> {
    return this.#request(request, anyResult, { ...options, resetTimeoutOnProgress: true }, { notified });
  }

  async #request(
    request: Request,
    given: StandardSchemaV1 | undefined,
    options?: RequestOptions,
    handling: RequestHandling = {},
  ): Promise<unknown> {
    const { method, params } = request;
    const schema = given ?? this.reader.resultOf(method, params);
    const read = (result: unknown) => (isOurs(schema) ? standIn(method, result) : this.#typed(result));
    const sent = this.#sent.begin(method, options, schema ? { ...handling, read } : handling);
    try {
      return await (schema
        ? super.request(request, schema, sent.forSdk)
        : super.request(request as Parameters<Client['request']>[0], sent.forSdk as never));
    } catch (error) {
      throw sent.asSent(error);
    } finally {
      this.#sent.end(sent);
    }
  }

  /** A result with its type, which many servers of the modern era leave out. */
  #typed(result: unknown): unknown {
    const lacks = isObject(result) && typeof result.resultType !== 'string' && this.getProtocolEra() === 'modern';
    return lacks ? { ...result, resultType: 'complete' } : result;
  }

  async #requestCall(request: CallToolRequest, options: TaskOptions = {}): Promise<CallToolResult> {
    const direct = this.#directFor(request.params, options);
    if (direct) return direct.call(request.params, options);
    if (options.taskId !== undefined) return followTask(this, undefined, undefined, options);
    const call = this.#sent.begin(request.method, options, {
      read: result => standIn(request.method, result),
      late: result => this.#cancelLate(result),
      isTask: 'task' in request.params && this.getServerCapabilities()?.tasks?.cancel !== undefined,
    });
    try {
      const result = await super.request(request, this.reader.resultOrTask, call.forSdk).catch(error => {
        throw call.asSent(error);
      });
      const created = createdTask(result);
      if (created === undefined) return result as CallToolResult;
      // A task has its own limits.
      this.deadlines.end(call);
      return await followTask(this, call, created, options);
    } finally {
      this.#sent.end(call);
    }
  }

  /** Cancels the task that a call has become after it was given up. */
  #cancelLate(result: unknown): void {
    const { taskId } = Object(createdTask(result)) as { taskId?: unknown };
    if (typeof taskId === 'string') cancelTask(this, taskId);
  }

  /** A call that may become a task is left to the SDK. */
  #directFor(params: CallToolRequest['params'], options: TaskOptions = {}): DirectCalls | undefined {
    return 'task' in params || options.taskId !== undefined ? undefined : this.#direct;
  }

  /** Adds the task's metadata to answers to its requests (spec 2025-11-25: basic/utilities/tasks#related-task-metadata). */
  #withTask(message: JSONRPCMessage): JSONRPCMessage {
    if ('method' in message || message.id === undefined) return message;
    const related = this.#asking.get(message.id);
    if (!this.#asking.delete(message.id) || !('result' in message)) return message;
    const { result } = message;
    return { ...message, result: { ...result, _meta: { ...result._meta, [RELATED_TASK]: related } } };
  }

  /** Fields that accompany each message of the modern era, in its envelope. */
  #withExtras(message: JSONRPCMessage): JSONRPCMessage {
    if (this.getProtocolEra() !== 'modern' || !('method' in message)) return message;
    const { params } = message;
    const { [CLIENT_CAPABILITIES_META_KEY]: said, ...meta } = (params?._meta ?? {}) as Record<string, unknown>;
    if (said === undefined) return message;
    // Tasks of the legacy era; this one has the extension, and nobody tells of changed roots.
    const { tasks: _, roots, ...capabilities } = said as ClientCapabilities;
    const logLevel = this.getServerCapabilities()?.logging && this.hooks.logLevel?.();
    const extended = {
      ...(logLevel && { [LOG_LEVEL_META_KEY]: logLevel }),
      ...meta,
      [CLIENT_CAPABILITIES_META_KEY]: {
        ...capabilities,
        ...(roots && { roots: {} }),
        extensions: { ...capabilities.extensions, ...TASKS },
      },
    };
    return { ...message, params: { ...params, _meta: extended } } as JSONRPCMessage;
  }

  #received(given: JSONRPCMessage, transport: ObservedTransport): JSONRPCMessage | undefined {
    const message = withoutNullParts(given);
    if (this.#direct?.receive(message)) return undefined;
    if (!('method' in message)) {
      const { supportedVersions } = ('result' in message ? message.result : {}) as { supportedVersions?: unknown };
      if (Array.isArray(supportedVersions)) this.offered = supportedVersions;
      const answer = this.reader.handshake(message);
      const { id } = answer;
      const isAsked = this.reader.takes(id) || this.#sent.expects(id) || isOwnId(id) || (id ?? null) === null;
      this.strayId = isAsked ? undefined : id;
      return this.#sent.answered(this.#checked(answer));
    }
    if ('id' in message) {
      const related = message.params?._meta?.[RELATED_TASK];
      if (related !== undefined && this.#asking.size < MAX_ASKING.questions && lengthOf(related) < MAX_ASKING.length)
        this.#asking.set(message.id, related);
      if (this.#refuses(message, transport)) return undefined;
      const request = this.#carried(message);
      return this.#tasksFor(request, transport)?.received(request) ? undefined : this.reader.question(request);
    }
    if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId as RequestId;
      this.#asking.delete(id);
      this.#receivedTasks?.cancelled(id);
    }
    if (message.method === STREAMED) this.hooks.streamed?.(message.params ?? {});
    if (message.method.startsWith('notifications/events/')) {
      if (message.method === 'notifications/events/list_changed') this.hooks.eventTypesChanged?.();
      else this.#sent.notified(message);
      return undefined;
    }
    return message.method === 'notifications/progress' && this.#sent.progressed(message.params) ? undefined : message;
  }

  /** The handler of a request that may concern tasks of the server; undefined otherwise. */
  #tasksFor({ method, params }: JSONRPCRequest, transport: ObservedTransport): ReceivedTasks | undefined {
    const concerns = method.startsWith('tasks/') || (this.#taskMethods.has(method) && params?.task !== undefined);
    if (!concerns || this.#taskMethods.size === 0 || this.getNegotiatedProtocolVersion() !== VERSION_WITH_TASKS)
      return undefined;
    this.#receivedTasks ??= new ReceivedTasks({
      methods: this.#taskMethods,
      send: message => void transport.send(message).catch(error => this.onerror?.(error)),
      deliver: message => transport.deliver(message),
      log: (...said) => this.hooks.tasks?.(...said),
    });
    return this.#receivedTasks;
  }

  /** Refuses a request from the server that can't be shown. The modern era has no such requests. */
  #refuses({ id, method, params }: JSONRPCRequest, transport: Transport): boolean {
    const problem = this.getProtocolEra() === 'modern' ? undefined : this.#problem(method, params);
    if (problem === undefined) return false;
    const error = { code: ProtocolErrorCode.InvalidParams, message: problem };
    transport.send({ jsonrpc: '2.0', id, error }).catch(error => this.onerror?.(error));
    return true;
  }

  /** An answer in the modern era: a result that asks for something that can't be shown becomes an error. */
  #checked(message: JSONRPCResponse): JSONRPCResponse {
    if (!('result' in message) || this.getProtocolEra() !== 'modern') return message;
    const { id, result } = message;
    if (!isInputRequired(result)) return message;
    const inputs = Object.entries(Object(result.inputRequests) as object);
    const fitting: [string, unknown][] = [];
    for (const [key, asked] of inputs) {
      const { method, params } = Object(asked) as { method?: unknown; params?: Record<string, unknown> };
      const isMany = inputs.length > MAX_ASKING.inputs;
      const problem = isMany ? 'it asks for too many inputs at once' : this.#problem(String(method), params);
      if (problem !== undefined)
        return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidParams, message: problem } };
      fitting.push([key, this.reader.question(this.#carried(Object(asked)))]);
    }
    return { ...message, result: { ...result, inputRequests: Object.fromEntries(fitting) } };
  }

  #carried<T extends { method?: unknown; params?: unknown }>(request: T): T {
    const params = this.hooks.carried?.(request.method, request.params) ?? request.params;
    return params === request.params ? request : { ...request, params };
  }

  #problem(method: string, params: Record<string, unknown> | undefined): string | undefined {
    const problem = this.hooks.problem?.(method, params, this.#declared);
    if (problem !== undefined) this.hooks.refused?.(problem);
    return problem;
  }

  /** As in the SDK: callers are rejected after the session knows the reason. */
  #closed(): void {
    const direct = this.#direct;
    this.#direct = undefined;
    this.#asking.clear();
    direct?.close();
    this.#receivedTasks?.close();
    this.deadlines.close();
  }
}

/** @throws Error for a message whose method is not in `methods.ts`. */
function assertKnown(message: JSONRPCMessage): void {
  if (!('method' in message) || isKnownMethod(message.method)) return;
  throw new TypeError(`No message has the method ${message.method}.`);
}

/** Whether a schema reads what a stand-in carries. */
const isOurs = (schema: StandardSchemaV1 | undefined) => schema?.['~standard'].vendor === VENDOR;

function isSchema(value: unknown): value is StandardSchemaV1 {
  return typeof value === 'object' && value !== null && '~standard' in value;
}
