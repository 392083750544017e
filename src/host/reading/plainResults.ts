import type { CallToolResult } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';

/** Whether a server of the modern era asks for something before it answers (spec: basic/patterns/mrtr). */
export function isInputRequired(result: unknown): result is { readonly inputRequests?: unknown } {
  return (result as { resultType?: unknown } | null)?.resultType === 'input_required';
}

/** True if there is only `content` consisting of texts, and `isError`: nothing has to be read. */
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

/** The task in a server's answer to a call, in either era; undefined if the answer is the result. */
export function createdTask(value: unknown): unknown {
  const { content, task, resultType } = Object(value) as Record<string, unknown>;
  if (resultType === 'task') return value;
  return content === undefined && isObject(task) ? task : undefined;
}
