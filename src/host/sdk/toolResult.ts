import { type CallToolResult, SdkError, SdkErrorCode, specTypeSchemas } from '@modelcontextprotocol/client';

const full = specTypeSchemas.CallToolResult;
const { validate } = full['~standard'];
type Checked = Awaited<ReturnType<typeof validate>>;

/** The types of content that the SDK knows (spec: `ContentBlock`). */
const KNOWN_TYPES: readonly unknown[] = ['text', 'image', 'audio', 'resource', 'resource_link'];

/**
 * Checks a tool's result. Nearly all contain nothing but text, which a quick check shows; all others go through the SDK's
 * schema. Content of a type that we don't know is not checked: it must not take the rest down.
 */
export const toolResult = {
  '~standard': {
    ...full['~standard'],
    validate: (value: unknown) =>
      (isPlainTextResult(value) ? { value } : lenient(value)) as ReturnType<typeof validate>,
  },
};

/** A tool's result in the legacy era as the SDK would return it. Rejects with its `InvalidResult`. */
export async function checkedToolResult(raw: Record<string, unknown>): Promise<CallToolResult> {
  // Belongs to the modern era; the SDK drops it.
  const { resultType: _, ...result } = raw;
  const checked = await lenient(result);
  if (!checked.issues) return checked.value;
  const issues = checked.issues.map(
    ({ message, path }) => (path?.length ? `${path.map(String).join('.')}: ` : '') + message,
  );
  throw new SdkError(SdkErrorCode.InvalidResult, `Invalid result for tools/call: ${issues.join(', ')}`);
}

/** Whether some of its content is of a type that the SDK would refuse. */
export function hasUnknownContent(value: unknown): boolean {
  const { content } = Object(value) as { content?: unknown };
  return Array.isArray(content) && content.some(isUnknown);
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

/** Checks a result with empty texts in the places of what is unknown, and puts that back. */
async function lenient(value: unknown): Promise<Checked> {
  if (!hasUnknownContent(value)) return validate(value);
  const { content } = value as { content: CallToolResult['content'] };
  const known = content.map(item => (isUnknown(item) ? { type: 'text', text: '' } : item));
  const checked = await validate({ ...(value as object), content: known });
  if (checked.issues) return checked;
  const whole = checked.value.content.map((item, index) => (isUnknown(content[index]) ? content[index]! : item));
  return { value: { ...checked.value, content: whole } };
}

function isUnknown(item: unknown): boolean {
  const { type } = Object(item) as { type?: unknown };
  return typeof type === 'string' && !KNOWN_TYPES.includes(type);
}

function isPlainText(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false;
  for (const key in item) if (key !== 'type' && key !== 'text') return false;
  const { type, text } = item as { type?: unknown; text?: unknown };
  return type === 'text' && typeof text === 'string';
}
