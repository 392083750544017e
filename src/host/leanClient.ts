import {
  Client,
  type JSONRPCResponse,
  type Request,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import type { CatalogKind } from './catalogList';
import { aside, isListResult, type ListResultSchema, withItemsAside, withTaskAside } from './listResults';
import type { TaskOptions } from './tasks';

const full = specTypeSchemas.CallToolResult;
const { validate } = full['~standard'];

/**
 * The check of a tool's result. Nearly all are text and nothing else, which is seen at a glance; any other goes through
 * the SDK's schema, unless it is the task that the call has become.
 */
const toolResult = {
  '~standard': {
    ...full['~standard'],
    validate: (value: unknown) =>
      (isPlainTextResult(value) || createdTask(value) ? { value } : validate(value)) as ReturnType<typeof validate>,
  },
};

/**
 * The SDK's client, with less work for each tool call: given no schema, the SDK first validates `undefined` to see
 * whether the era knows the method, and builds a whole error of it, which takes longer than the call. With lists whose
 * items are not checked, for a request with the schema `listResult`. And with calls that become tasks, which are followed
 * to their results.
 */
export class LeanClient extends Client {
  /** Requests that are answered with a list, by the number of their message. */
  readonly #lists = new Map<number, CatalogKind>();

  override request(request: Request, schemaOrOptions?: unknown, options?: RequestOptions): Promise<never> {
    if (isListResult(schemaOrOptions)) return this.#requestList(request, schemaOrOptions, options);
    if (request.method === 'tools/call' && !isSchema(schemaOrOptions)) {
      return this.#callTool(request, schemaOrOptions as TaskOptions | undefined);
    }
    return super.request(request, schemaOrOptions as typeof full, options) as Promise<never>;
  }

  /** Answers a request of the server that came inside a result. Undefined: nothing here answers to that method. */
  handlerOf(method: string): ReturnType<Client['_getRequestHandler']> {
    return this._getRequestHandler(method);
  }

  protected override _onresponse(response: JSONRPCResponse): void {
    const key = this.#lists.get(Number(response.id));
    const { result: said } = response as { result?: unknown };
    const result = key === undefined ? withTaskAside(said) : withItemsAside(said, key);
    super._onresponse(result === said ? response : ({ ...response, result } as JSONRPCResponse));
  }

  #callTool(request: Request, options?: TaskOptions): Promise<never> {
    // The SDK takes the number of the message for the token of its progress as well.
    const token = Number(Reflect.get(this, '_requestMessageId'));
    const follow = (created?: unknown) => {
      const { followTask } = require('./tasks') as typeof import('./tasks');
      const closed = () => new SdkError(SdkErrorCode.ConnectionClosed, 'closed');
      return followTask({ client: this, toolResult, token, closed }, created, options) as Promise<never>;
    };
    if (options?.taskId !== undefined) return follow();
    return super.request(request, toolResult, options).then(result => {
      const created = createdTask(result);
      return created ? follow(created) : (result as never);
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

/** True for `content` of texts, `isError`, and no more: the SDK's schema would return the same. */
function isPlainTextResult(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (key !== 'content' && key !== 'isError') return false;
  const { content, isError } = value as { content?: unknown; isError?: unknown };
  return (
    (isError === undefined || typeof isError === 'boolean') && Array.isArray(content) && content.every(isPlainText)
  );
}

function isPlainText(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false;
  for (const key in item) if (key !== 'type' && key !== 'text') return false;
  const { type, text } = item as { type?: unknown; text?: unknown };
  return type === 'text' && typeof text === 'string';
}
