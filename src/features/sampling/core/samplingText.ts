import { createHash } from 'node:crypto';
import { PhraseError, phrase } from '../../../base/phrase';
import { visibleJson } from '../../../base/text';

/** An image of a request, as its review names it. */
export interface ReviewedImage {
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
 * JSON that a person can read: texts of several lines are lists of lines, images are named by size and hash, and hidden
 * characters stand as escapes. Nothing is lost: `fromReviewText` gives back the very value.
 */
export function toReviewText(value: unknown): ReviewText {
  const images = new Map<string, ReviewedImage>();
  const shown = (part: unknown, key = ''): unknown => {
    if (typeof part === 'string' && LINES.has(key) && part.includes('\n')) return part.split('\n');
    if (Array.isArray(part)) return part.map(item => shown(item));
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part).map(([name, inner]) => [name, isFree(name) ? inner : shown(inner, name)]);
    const { type, data, mimeType } = part as { type?: unknown; data?: unknown; mimeType?: unknown };
    if (type !== 'image' || typeof data !== 'string') return Object.fromEntries(entries);
    const image = { name: `image-${images.size + 1}.${extensionOf(mimeType)}`, mimeType: String(mimeType), data };
    const label = labelOf(image);
    images.set(label, image);
    return { ...Object.fromEntries(entries), data: label };
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
    if (result.type !== 'image') return result;
    const image = images.get(String(result.data));
    if (!image) throw new PhraseError(phrase('Image data cannot be changed, only removed together with its image.'));
    return { ...result, data: image.data };
  };
  return value(JSON.parse(text));
}

/** Texts that are shown line by line. */
const LINES: ReadonlySet<string> = new Set(['text', 'systemPrompt']);

/** Of any shape: shown as they are, so that nothing in them is taken for a text of ours. */
const isFree = (name: string) =>
  ['input', 'inputSchema', 'outputSchema', 'structuredContent', 'metadata', '_meta', 'annotations'].includes(name);

function labelOf({ name, data }: ReviewedImage): string {
  const bytes = Buffer.from(data, 'base64');
  return `${name}: ${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`;
}

function extensionOf(mimeType: unknown): string {
  const known: Record<string, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif' };
  return known[String(mimeType)] ?? 'webp';
}
