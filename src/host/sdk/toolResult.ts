import { type CallToolResult, type StandardSchemaV1, specTypeSchemas } from '@modelcontextprotocol/client';
import { apart } from './contents';

const full = specTypeSchemas.CallToolResult;
const { validate } = full['~standard'];

/** Checks a tool's result. Nearly all contain nothing but text, which a quick check shows; all others go through the SDK's schema. */
export const toolResult = {
  '~standard': {
    ...full['~standard'],
    validate: (value: unknown) =>
      (isPlainTextResult(value) ? { value } : validate(apart(value))) as ReturnType<typeof validate>,
  },
};

/** Checks a tool's result of the legacy era with the SDK's schema. */
export function checkToolResult(raw: Record<string, unknown>): StandardSchemaV1.Result<CallToolResult> {
  // Belongs to the modern era; the SDK drops it.
  const { resultType: _, ...result } = raw;
  return validate(result) as StandardSchemaV1.Result<CallToolResult>;
}

/** True if there is only `content` consisting of texts, and `isError`: the SDK's schema would return it unchanged. */
export function isPlainTextResult(value: unknown): value is CallToolResult {
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
