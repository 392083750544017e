import type { ContentBlock } from '@modelcontextprotocol/client';
import { sizePhrase } from '../../../base/numberText';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { essence } from '../../resources';
import { imageTypeOf } from './imageType';
import type { ImagePart } from './modelMessage';

/** The model's view of one content block, with bytes that its text may have, or a note in its place. */
export type Piece = SaidText | ImagePart | Note;

interface SaidText {
  readonly kind: 'said';
  readonly text: string;
}

export interface Note {
  readonly kind: 'note';
  readonly text: Phrase;
}

/** Image types that every model with vision accepts. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export const said = (text: string): SaidText => ({ kind: 'said', text });

export const note = (value: Phrase): Note => ({ kind: 'note', text: value });

/**
 * Whether the server marks content as for the person and not for a model (spec: server/resources#annotations). An embedded
 * resource may have its own mark.
 */
export function isForPersonOnly(block: unknown): boolean {
  const { annotations, resource } = Object(block) as { annotations?: unknown; resource?: unknown };
  const { audience } = Object(annotations) as { audience?: unknown };
  if (Array.isArray(audience)) return audience.includes('user') && !audience.includes('assistant');
  return resource !== undefined && isForPersonOnly(resource);
}

/** One content block for a model (spec: `ContentBlock`). Takes whatever a server sends; never throws. */
export function piecesOf(raw: unknown, images: boolean): readonly Piece[] {
  if (typeof raw !== 'object' || raw === null) return [];
  if (isForPersonOnly(raw)) return [note(phrase('[content that the server meant for the user only]'))];
  const block = raw as ContentBlock;
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' && block.text !== '' ? [said(block.text)] : [];
    case 'image':
      return [imagePiece(block.mimeType, block.data, images)];
    case 'audio':
      return [note(phrase('[audio {0}]', facts(block.mimeType, block.data)))];
    case 'resource':
      return resourcePieces(block.resource, images);
    case 'resource_link':
      return [said(`${visible(block.title ?? block.name ?? '', 200)} (${visible(block.uri, 2000)})`)];
    default:
      return [note(phrase('[content of unknown type "{0}"]', visible((raw as { type?: unknown }).type, 60)))];
  }
}

function imagePiece(mimeType: unknown, data: unknown, images: boolean, name?: string): Piece {
  const type = typeof mimeType === 'string' ? essence(mimeType) : undefined;
  const what = name === undefined ? facts(mimeType, data) : phrase('{0} ({1})', name, facts(mimeType, data));
  if (!images) return note(phrase('[image {0}]', what));
  if (!type || !IMAGE_TYPES.includes(type))
    return note(phrase('[image {0}, of a type that models do not accept]', what));
  if (sizeOf(data) > MAX_IMAGE_BYTES) return note(phrase('[image {0}, too large for a model]', what));
  const bytes = decode(data);
  if (!bytes) return note(phrase('[image {0}, not valid base64]', what));
  const actual = imageTypeOf(bytes);
  if (!actual) return note(phrase('[image {0}, not a whole image]', what));
  return { kind: 'image', mimeType: actual, data: bytes };
}

function resourcePieces(raw: unknown, images: boolean): readonly Piece[] {
  const resource = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
  const uri = visible(resource.uri, 2000);
  if (typeof resource.text === 'string') return [said(`Resource ${uri}:\n${resource.text}`)];
  const { blob, mimeType } = resource;
  if (typeof mimeType !== 'string' || !essence(mimeType)?.startsWith('image/')) {
    return [note(phrase('[resource {0} {1}]', uri, facts(mimeType, blob)))];
  }
  const piece = imagePiece(mimeType, blob, images, uri);
  return piece.kind === 'image' ? [said(`Resource ${uri}:`), piece] : [piece];
}

/** Type and size of what a model does not get. */
function facts(mimeType: unknown, data: unknown): Phrase {
  const type = typeof mimeType === 'string' ? visible(mimeType, 100) : phrase('of unknown type');
  return phrase('{0}, {1}', type, sizePhrase(sizeOf(data)));
}

/** Bytes that base64 stands for. */
function sizeOf(data: unknown): number {
  if (typeof data !== 'string') return 0;
  return Math.floor((data.length * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0);
}

/** `Buffer.from` would skip what is no base64 and hand out something else than was sent. */
function decode(data: unknown): Uint8Array | undefined {
  if (typeof data !== 'string') return undefined;
  const base64 = data.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.replace(/=+$/, '').length % 4 === 1) return undefined;
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
