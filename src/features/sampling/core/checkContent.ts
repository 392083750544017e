import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';

export interface ContentChecks {
  /** MIME type of an image by its bytes; undefined for types that models do not accept, and for incomplete images. */
  imageTypeOf(data: Uint8Array): string | undefined;
}

/** Sums over a request: characters of text, bytes of images. */
export interface Totals {
  text: number;
  images: number;
}

type Block = Record<string, unknown>;

/** Why a block of content can't be given to a model; undefined when it can. Adds its size to `totals`. */
export function checkContent(
  block: unknown,
  role: 'user' | 'assistant',
  checks: ContentChecks,
  totals: Totals,
): Phrase | undefined {
  if (!isObject(block)) return phrase('its content is not an object');
  switch (block.type) {
    case 'tool_use':
      if (role !== 'assistant') return phrase('only the assistant can have a tool_use');
      if (typeof block.id !== 'string' || typeof block.name !== 'string' || !isObject(block.input)) {
        return phrase('its tool_use has no id, name or input');
      }
      totals.text += block.name.length + JSON.stringify(block.input).length;
      return undefined;
    case 'tool_result': {
      if (role !== 'user') return phrase('only the user can have a tool_result');
      if (typeof block.toolUseId !== 'string' || !Array.isArray(block.content)) {
        return phrase('its tool_result has no toolUseId or content');
      }
      totals.text += JSON.stringify(block.structuredContent ?? '').length;
      for (const inner of block.content as unknown[]) {
        const problem = isObject(inner)
          ? resultProblem(inner, checks, totals)
          : phrase('its tool_result has no content');
        if (problem) return problem;
      }
      return undefined;
    }
    default:
      return plainProblem(block, checks, totals);
  }
}

/** Content that only results have. A model gets what is text, and a note of what is not. */
function resultProblem(block: Block, checks: ContentChecks, totals: Totals): Phrase | undefined {
  switch (block.type) {
    case 'audio':
      if (typeof block.data !== 'string') return phrase('its audio has no data');
      return undefined;
    case 'resource_link':
      if (typeof block.uri !== 'string') return phrase('its resource_link has no uri');
      totals.text += JSON.stringify(block).length;
      return undefined;
    case 'resource': {
      const { uri, text, blob, mimeType } = isObject(block.resource) ? block.resource : {};
      if (typeof uri !== 'string' || (typeof text !== 'string' && typeof blob !== 'string'))
        return phrase('its resource has no uri, or neither text nor blob');
      totals.text += uri.length + (typeof text === 'string' ? text.length : 0);
      if (typeof blob === 'string' && String(mimeType).startsWith('image/'))
        totals.images += Buffer.byteLength(blob, 'base64');
      return undefined;
    }
    default:
      return plainProblem(block, checks, totals);
  }
}

function plainProblem(block: Block, checks: ContentChecks, totals: Totals): Phrase | undefined {
  switch (block.type) {
    case 'text':
      if (typeof block.text !== 'string') return phrase('its text is not a string');
      totals.text += block.text.length;
      return undefined;
    case 'image':
      return imageProblem(block, checks, totals);
    case 'audio':
      return phrase('it contains audio, which language models in this editor do not accept');
    default:
      return phrase(
        'it contains content of type {0}, which models do not accept',
        String(JSON.stringify(block.type)).slice(0, 100),
      );
  }
}

function imageProblem({ data, mimeType }: Block, { imageTypeOf }: ContentChecks, totals: Totals): Phrase | undefined {
  if (typeof data !== 'string' || typeof mimeType !== 'string') return phrase('its image has no data or mimeType');
  const bytes = Buffer.from(data, 'base64');
  totals.images += bytes.length;
  const type = imageTypeOf(bytes);
  if (!type) return phrase('its image is invalid or incomplete; PNG, JPEG, GIF and WebP are accepted');
  if (type === mimeType) return undefined;
  return phrase('its image is {0}, not {1}', type, JSON.stringify(mimeType.slice(0, 100)));
}
