import {
  type CallToolRequest,
  type CallToolRequestOptions,
  type CallToolResult,
  Client,
  type ConnectOptions,
  type JSONRPCResponse,
  type Request,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client';
import type { CatalogKind } from './catalogList';
import { aside, isListResult, type ListResultSchema, withItemsAside, withTaskAside } from './listResults';
import type { TaskOptions } from './tasks';
import { ToolLane } from './toolLane';
import { toolResult } from './toolResult';

/**
 * The check of what a call is answered with: a result, or the task that it has become.
 */
const resultOrTask = {
  '~standard': {
    ...toolResult['~standard'],
    validate: (value: unknown) =>
      createdTask(value)
        ? ({ value } as ReturnType<(typeof toolResult)['~standard']['validate']>)
        : toolResult['~standard'].validate(value),
  },
};

/**
 * The SDK's client, with less work for each tool call. In the legacy era calls go a way of their own (`ToolLane`); in the
 * modern one they are given a schema, without which the SDK first validates `undefined` to see whether the era knows the
 * method, and builds a whole error of it. With lists whose items are not checked, for a request with the schema
 * `listResult`. And with calls that become tasks, which are followed to their results.
 */
export class LeanClient extends Client {
  /** Requests that are answered with a list, by the number of their message. */
  readonly #lists = new Map<number, CatalogKind>();
  /** While connected in the legacy era. */
  #lane: ToolLane | undefined;

  override async connect(transport: Transport, options?: ConnectOptions): Promise<void> {
    await super.connect(transport, options);
    if (this.getProtocolEra() !== 'legacy' || this.transport !== transport) return;
    const lane = new ToolLane(transport);
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      if (!lane.receive(message)) onmessage?.(message, extra);
    };
    this.#lane = lane;
  }

  override callTool(params: CallToolRequest['params'], options?: CallToolRequestOptions): Promise<CallToolResult> {
    // The SDK would look for the definition, and checks structured content.
    const { toolDefinition } = options ?? {};
    const isPlain = toolDefinition !== undefined && toolDefinition.outputSchema === undefined;
    const lane = isPlain ? this.#laneFor(params, options) : undefined;
    return lane ? lane.call(params, options) : super.callTool(params, options);
  }

  override request(request: Request, schemaOrOptions?: unknown, options?: RequestOptions): Promise<never> {
    if (isListResult(schemaOrOptions)) return this.#requestList(request, schemaOrOptions, options);
    const isToolCall = request.method === 'tools/call' && !isSchema(schemaOrOptions);
    return (isToolCall
      ? this.#requestCall(request as CallToolRequest, schemaOrOptions as TaskOptions | undefined)
      : super.request(request, schemaOrOptions as StandardSchemaV1, options)) as Promise<unknown> as Promise<never>;
  }

  /** Answers a request of the server that came inside a result. Undefined: nothing here answers to that method. */
  handlerOf(method: string): ReturnType<Client['_getRequestHandler']> {
    return this._getRequestHandler(method);
  }

  /** Stops the clock of the tool calls in flight, until what is returned is called. */
  holdCalls(): () => void {
    return this.#lane?.hold() ?? (() => {});
  }

  protected override _onclose(): void {
    const lane = this.#lane;
    this.#lane = undefined;
    try {
      super._onclose();
    } finally {
      // As the SDK does it: whoever waits learns of it when the session has learned why.
      lane?.close();
    }
  }

  protected override _onresponse(response: JSONRPCResponse): void {
    const key = this.#lists.get(Number(response.id));
    const { result: said } = response as { result?: unknown };
    const result = key === undefined ? withTaskAside(said) : withItemsAside(said, key);
    super._onresponse(result === said ? response : ({ ...response, result } as JSONRPCResponse));
  }

  /** A call that may become a task is left to the SDK, which numbers its messages. */
  #laneFor(params: CallToolRequest['params'], options: TaskOptions = {}): ToolLane | undefined {
    return 'task' in params || options.taskId !== undefined ? undefined : this.#lane;
  }

  #requestCall(request: CallToolRequest, options?: TaskOptions): Promise<CallToolResult> {
    const lane = this.#laneFor(request.params, options);
    if (lane) return lane.call(request.params, options);
    // The SDK takes the number of the message for the token of its progress as well.
    const token = Number(Reflect.get(this, '_requestMessageId'));
    const follow = (created?: unknown) => {
      const { followTask } = require('./tasks') as typeof import('./tasks');
      const closed = () => new SdkError(SdkErrorCode.ConnectionClosed, 'closed');
      return followTask({ client: this, toolResult, token, closed }, created, options) as Promise<never>;
    };
    if (options?.taskId !== undefined) return follow();
    return super.request(request, resultOrTask, options).then(result => {
      const created = createdTask(result);
      return created ? follow(created) : (result as CallToolResult);
    });
  }

  async #requestList(request: Request, schema: ListResultSchema, options?: RequestOptions): Promise<never> {
    // The SDK takes the number at once and does not tell it. Were it to count elsewhere, lists would be checked strictly.
    const id = Number(Reflect.get(this, '_requestMessageId'));
    this.#lists.set(id, schema.key);
    try {
      return (await super.request(request, schema, options)) as never;
    } finally {
      this.#lists.delete(id);
    }
  }
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '~standard' in value;
}
/** The task in what a server answered to a call, in either era; undefined when it is the result. */
function createdTask(value: unknown): unknown {
  const { content, task, [aside]: modern } = Object(value) as Record<string | symbol, unknown>;
  return modern ?? (content === undefined ? task : undefined);
}
