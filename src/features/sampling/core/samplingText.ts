import { sha256 } from '../../../base/fingerprint';
import { PhraseError, phrase } from '../../../base/phrase';
import { exact, visibleJson } from '../../../base/text';

/** An image of a request, or a sound or another file of a tool's result, as its review names it. */
interface ReviewedImage {
  /** `image-1.png`. */
  readonly name: string;
  readonly mimeType: string;
  /** Base64, as the server sent it. */
  readonly data: string;
}

/** A value as a person reads and edits it. */
export interface ReviewText {
  readonly text: string;
  /** By the text that stands for their data: name, size and hash. */
  readonly images: ReadonlyMap<string, ReviewedImage>;
}

/**
 * JSON that a person can read: texts of several lines are lists of lines, images and other files are named by size and hash,
 * and hidden characters stand as escapes. Nothing is lost: `fromReviewText` gives back the very value.
 */
export function toReviewText(value: unknown): ReviewText {
  const images = new Map<string, ReviewedImage>();
  const shown = (part: unknown, key = ''): unknown => {
    if (typeof part === 'string' && LINES.has(key) && part.includes('\n')) return part.split('\n');
    if (Array.isArray(part)) return part.map(item => shown(item));
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part).map(([name, inner]) => [name, isFree(name) ? inner : shown(inner, name)]);
    const bytes = bytesIn(part, key);
    const { [bytes?.member ?? '']: data, mimeType } = part as Record<string, unknown>;
    if (!bytes || typeof data !== 'string') return Object.fromEntries(entries);
    const name = `${bytes.kind}-${images.size + 1}.${extensionOf(mimeType)}`;
    const image = { name, mimeType: String(mimeType), data };
    const label = labelOf(image);
    images.set(label, image);
    return { ...Object.fromEntries(entries), [bytes.member]: label };
  };
  return { text: visibleJson(shown(value)), images };
}

/** The value of an edited text. Throws an error that says what is wrong with it. */
export function fromReviewText(text: string, images: ReviewText['images']): unknown {
  const value = (part: unknown, key = ''): unknown => {
    if (Array.isArray(part)) {
      return LINES.has(key) && part.every(line => typeof line === 'string')
        ? part.join('\n')
        : part.map(item => value(item));
    }
    if (typeof part !== 'object' || part === null) return part;
    const result = Object.fromEntries(
      Object.entries(part).map(([name, inner]) => [name, isFree(name) ? inner : value(inner, name)]),
    );
    const bytes = bytesIn(result, key);
    if (!bytes) return result;
    const image = images.get(String(result[bytes.member]));
    if (!image) throw new PhraseError(phrase('Image data cannot be changed, only removed together with its image.'));
    return { ...result, [bytes.member]: image.data };
  };
  return value(JSON.parse(text));
}

/** The member of a block of content, or of the resource in one, that holds base64. */
function bytesIn(part: object, key: string): { kind: string; member: 'data' | 'blob' } | undefined {
  const { type } = part as { type?: unknown };
  if (type === 'image' || type === 'audio') return { kind: type, member: 'data' };
  return key === 'resource' && 'blob' in part ? { kind: 'file', member: 'blob' } : undefined;
}

const LINES: ReadonlySet<string> = new Set(['text', 'systemPrompt']);

/** Members of any shape: shown unchanged, so that nothing in them passes for a text of ours. */
const isFree = (name: string) =>
  ['input', 'inputSchema', 'outputSchema', 'structuredContent', 'metadata', '_meta', 'annotations'].includes(name);

function labelOf({ name, data }: ReviewedImage): string {
  const bytes = Buffer.from(data, 'base64');
  return `${name}: ${bytes.length} bytes, SHA-256 ${sha256(bytes)}`;
}

function extensionOf(mimeType: unknown): string {
  const known: Record<string, string> = {
    'image/png': 'png',
    'image/jpeg': 'jpg',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'audio/wav': 'wav',
    'audio/mpeg': 'mp3',
  };
  return known[String(mimeType)] ?? 'bin';
}

interface ConversationWords {
  readonly system: string;
  /** Above everything that is no message. */
  readonly others: string;
}

/** Before each line that is not ours, so that none can pass for the name of a speaker. */
const QUOTE = '│ ';

/** A request or an answer as a conversation, then everything else of it as JSON, with hidden characters visible. */
export function conversationText({ text }: ReviewText, { system, others }: ConversationWords): string {
  const { systemPrompt, messages, role, content, model, ...rest } = JSON.parse(text) as Record<string, unknown>;
  const parts: string[] = [];
  const add = (by: string, lines: readonly string[]) => parts.push([by, ...lines.map(line => QUOTE + line)].join('\n'));
  if (systemPrompt !== undefined) add(system, linesOf(systemPrompt));
  for (const message of Array.isArray(messages) ? messages : []) {
    const { role: by, content: said, ...more } = Object(message) as Record<string, unknown>;
    add(exact(String(by)), [...contentOf(said), ...(Object.keys(more).length > 0 ? jsonOf(more) : [])]);
  }
  if (content !== undefined) add(exact(String(model ?? role)), contentOf(content));
  const left = { ...(content === undefined && { role, content, model }), ...rest };
  const known = Object.fromEntries(Object.entries(left).filter(([, value]) => value !== undefined));
  if (Object.keys(known).length > 0) add(others, jsonOf(known));
  return parts.join('\n\n');
}

function contentOf(content: unknown): string[] {
  return [content].flat().flatMap(block => {
    const { type, text, ...more } = Object(block) as Record<string, unknown>;
    const { data, mimeType, ...others } = more;
    // The review has the name, size and hash of a picture or a sound in the place of its data.
    if ((type === 'image' || type === 'audio') && text === undefined && Object.keys(others).length === 0)
      return [exact(`[${data} · ${mimeType}]`)];
    const isPlain = type === 'text' && text !== undefined && Object.keys(more).length === 0;
    return isPlain ? linesOf(text) : jsonOf(block);
  });
}

/** The lines of a text, which the review has as a list when there are several. */
const linesOf = (text: unknown): string[] => [text].flat().map(line => exact(String(line)));

const jsonOf = (value: unknown): string[] => visibleJson(value).split('\n');
