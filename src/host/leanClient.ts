import { Client, type Request, type RequestOptions, specTypeSchemas } from '@modelcontextprotocol/client';

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
 * whether the era knows the method, and builds a whole error of it, which takes longer than the call.
 */
export class LeanClient extends Client {
  override request(request: Request, schemaOrOptions?: unknown, options?: RequestOptions): Promise<never> {
    const isToolCall = request.method === 'tools/call' && !isSchema(schemaOrOptions);
    const sent: Promise<unknown> = isToolCall
      ? super.request(request, toolResult, schemaOrOptions as RequestOptions | undefined)
      : super.request(request, schemaOrOptions as typeof full, options);
    return sent as Promise<never>;
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
