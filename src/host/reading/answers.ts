import type { CallToolResult } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';
import { shallowJson } from '../../base/shallowJson';
import { startOf } from '../../base/text';
import { EventReader, type ServerSentEvent } from './eventReader';

const MAX_VALUES = 1_000;

/** What a body holds, whatever it says that it is: JSON, or the values of an event stream or of lines. */
export function bodyValue(body: string): unknown {
  const text = body.startsWith('\ufeff') ? body.slice(1) : body;
  const value = shallowJson(text);
  if (value !== undefined) return value;
  if (!/^[ \t]*(?:data|event|id|retry)?:/m.test(text) && !/^\s*[{[]/.test(text)) return undefined;
  const events = new EventReader(Number.POSITIVE_INFINITY);
  const good: unknown[] = [];
  const take = (event: ServerSentEvent | undefined) => {
    const one = event && shallowJson(event.data);
    if (one !== undefined) good.push(one);
  };
  for (const event of events.read(Buffer.from(text))) {
    take(event);
    // No more messages of a batch are read.
    if (good.length >= MAX_VALUES) return good.flat();
  }
  take(events.end());
  return good.length > 0 ? good.flat() : undefined;
}

/** The media type of a response, without its parameters. A header that came twice counts once. */
export function mediaType({ headers }: { readonly headers: Headers }): string | undefined {
  return headers.get('content-type')?.split(/[;,]/, 1)[0]?.trim().toLowerCase();
}

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

interface SaidError {
  readonly code?: unknown;
  readonly message: string;
  readonly data?: unknown;
}

/** In characters: to look for one long text in another takes as many steps as their lengths multiplied. */
const MAX_SAID = 16_000;

/**
 * What a server says of an error: its message, with the reason that some frameworks have in its data alone. One line, without a
 * stack, and without the code, which SDK 1 repeats in the message, once for each error in it.
 */
export function saidOf({ code, message: whole, data }: SaidError): string {
  const message = startOf(whole, MAX_SAID).replaceAll(`MCP error ${String(code)}: `, '');
  const { message: inner, error, detail, reason } = isObject(data) ? data : { message: data };
  const given = [inner, error, detail, reason].find(one => typeof one === 'string' && one.trim() !== '') as
    | string
    | undefined;
  const more =
    startOf(given ?? '', MAX_SAID)
      .trim()
      .split('\n', 1)[0] ?? '';
  if (more === '' || message.includes(more)) return message;
  return more.includes(message) ? more : `${message}: ${more}`;
}

export function stackIn(data: unknown): string | undefined {
  const stack = isObject(data) ? data.stack : undefined;
  return typeof stack === 'string' && stack !== '' ? stack : undefined;
}

/** The code of an error as people know it: some servers have those of HTTP. */
export const codeText = (code: unknown): string =>
  typeof code === 'number' && code >= 400 && code < 600 ? `HTTP ${code}` : String(code);
