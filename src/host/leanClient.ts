import {
  Client,
  type JSONRPCResponse,
  type Request,
  type RequestOptions,
  specTypeSchemas,
} from '@modelcontextprotocol/client';
import type { CatalogKind } from './catalogList';
import { isListResult, type ListResultSchema, withItemsAside } from './listResults';

const full = specTypeSchemas.CallToolResult;
const { validate } = full['~standard'];

/**
 * The check of a tool's result. Nearly all are text and nothing else, which is seen at a glance; any other goes through
 * the SDK's schema.
 */
const toolResult = {
  '~standard': {
    ...full['~standard'],
    validate: (value: unknown) =>
      (isPlainTextResult(value) ? { value } : validate(value)) as ReturnType<typeof validate>,
  },
};

/**
 * The SDK's client, with less work for each tool call: given no schema, the SDK first validates `undefined` to see
 * whether the era knows the method, and builds a whole error of it, which takes longer than the call. And with lists whose
 * items are not checked, for a request with the schema `listResult`.
 */
export class LeanClient extends Client {
  /** Requests that are answered with a list, by the number of their message. */
  readonly #lists = new Map<number, CatalogKind>();

  override request(request: Request, schemaOrOptions?: unknown, options?: RequestOptions): Promise<never> {
    if (isListResult(schemaOrOptions)) return this.#requestList(request, schemaOrOptions, options);
    const isToolCall = request.method === 'tools/call' && !isSchema(schemaOrOptions);
    const sent: Promise<unknown> = isToolCall
      ? super.request(request, toolResult, schemaOrOptions as RequestOptions | undefined)
      : super.request(request, schemaOrOptions as typeof full, options);
    return sent as Promise<never>;
  }

  protected override _onresponse(response: JSONRPCResponse): void {
    const key = this.#lists.get(Number(response.id));
    const isList = key !== undefined && 'result' in response;
    super._onresponse(
      isList ? ({ ...response, result: withItemsAside(response.result, key) } as JSONRPCResponse) : response,
    );
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
