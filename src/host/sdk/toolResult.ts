import { type CallToolResult, type StandardSchemaV1, specTypeSchemas } from '@modelcontextprotocol/client';
import { original } from './listResults';

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

/** The task in a server's answer to a call, in either era; undefined if the answer is the result. */
export function createdTask(value: unknown): unknown {
  const modern = originalOf(value);
  if (modern) return modern.resultType === 'task' ? modern : undefined;
  const { content, task } = Object(value) as Record<string, unknown>;
  return content === undefined ? task : undefined;
}

/** The content of a stand-in: see `callStandIn`. */
const originalOf = (value: unknown) => (Object(value) as { [original]?: Readonly<Record<string, unknown>> })[original];

/** The check of the answer to a call: a result, or the task that it has become. */
export const resultOrTask = {
  '~standard': {
    ...toolResult['~standard'],
    validate: (value: unknown) => {
      if (createdTask(value)) return { value } as ReturnType<(typeof toolResult)['~standard']['validate']>;
      const carried = originalOf(value);
      if (!carried) return toolResult['~standard'].validate(value);
      const { resultType: _, ...result } = carried;
      return toolResult['~standard'].validate(result);
    },
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

type Part = Readonly<Record<string, unknown>>;

/** How the parts of a result are reached, by the member that lists them; each returns what it becomes. */
const LISTS: Readonly<Record<string, (part: Part) => readonly unknown[]>> = {
  // Of resources/read, tools/call and prompts/get.
  contents: halves,
  content: embedded,
  messages: message => embedded(Object(message.content)).map(content => ({ ...message, content })),
};

/**
 * A result in which resource contents with both `text` and `blob` are two, wherever they stand: the SDK would drop the blob.
 * A prompt's message, or a block of a tool's result, that embeds them becomes two as well. Any other result is returned as is.
 */
export function apart(result: unknown): unknown {
  for (const [member, split] of Object.entries(LISTS)) {
    const parts: unknown = (Object(result) as Part)[member];
    if (!Array.isArray(parts)) continue;
    const all = parts.flatMap(part => {
      const pieces = split(Object(part));
      return pieces.length > 1 ? pieces : [part];
    });
    if (all.length > parts.length) return { ...(result as object), [member]: all };
  }
  return result;
}

function embedded(block: Part): readonly unknown[] {
  return block.type === 'resource' ? halves(Object(block.resource)).map(resource => ({ ...block, resource })) : [block];
}

function halves({ text, blob, ...one }: Part): readonly unknown[] {
  if (typeof text !== 'string' || typeof blob !== 'string') return [one];
  return [
    { ...one, text },
    { ...one, blob },
  ];
}
