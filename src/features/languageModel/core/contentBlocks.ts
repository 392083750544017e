import type { ContentBlock } from '@modelcontextprotocol/client';
import { formatSize } from '../../../base/size';
import { visible } from '../../../base/text';
import { essence } from '../../resources';
import { imageTypeOf } from './imageType';
import { type ContentPart, text } from './modelMessage';

/** What a model can get of one content block, or a note in its place. */
export type Piece = ContentPart | Note;

export interface Note {
  readonly kind: 'note';
  readonly text: string;
}

/** What every model with vision takes. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export const note = (value: string): Note => ({ kind: 'note', text: value });

/** One content block for a model (spec: `ContentBlock`). Takes whatever a server sends; never throws. */
export function piecesOf(raw: unknown, images: boolean): readonly Piece[] {
  if (typeof raw !== 'object' || raw === null) return [];
  const block = raw as ContentBlock;
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' && block.text !== '' ? [text(block.text)] : [];
    case 'image':
      return [imagePiece(block.mimeType, block.data, images)];
    case 'audio':
      return [note(`[audio ${facts(block.mimeType, block.data)}]`)];
    case 'resource':
      return resourcePieces(block.resource, images);
    case 'resource_link':
      return [text(`${visible(block.title ?? block.name ?? '', 200)} (${visible(block.uri, 2000)})`)];
    default:
      return [note(`[content of unknown type "${visible((raw as { type?: unknown }).type, 60)}"]`)];
  }
}

function imagePiece(mimeType: unknown, data: unknown, images: boolean, name = ''): Piece {
  const type = typeof mimeType === 'string' ? essence(mimeType) : undefined;
  const what = `image ${name}${facts(mimeType, data)}`;
  if (!images) return note(`[${what}]`);
  if (!type || !IMAGE_TYPES.includes(type)) return note(`[${what}, of a type that models don't take]`);
  if (sizeOf(data) > MAX_IMAGE_BYTES) return note(`[${what}, too large for a model]`);
  const bytes = decode(data);
  if (!bytes) return note(`[${what}, not valid base64]`);
  const actual = imageTypeOf(bytes);
  return actual ? { kind: 'image', mimeType: actual, data: bytes } : note(`[${what}, not a whole image]`);
}

function resourcePieces(raw: unknown, images: boolean): readonly Piece[] {
  const resource = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
  const uri = visible(resource.uri, 2000);
  if (typeof resource.text === 'string') return [text(`Resource ${uri}:\n${resource.text}`)];
  const { blob, mimeType } = resource;
  if (typeof mimeType !== 'string' || !essence(mimeType)?.startsWith('image/')) {
    return [note(`[resource ${uri} ${facts(mimeType, blob)}]`)];
  }
  const piece = imagePiece(mimeType, blob, images, `${uri} `);
  return piece.kind === 'image' ? [text(`Resource ${uri}:`), piece] : [piece];
}

/** Type and size of what a model does not get. */
function facts(mimeType: unknown, data: unknown): string {
  const type = typeof mimeType === 'string' ? visible(mimeType, 100) : 'of unknown type';
  return `${type}, ${formatSize(sizeOf(data))}`;
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
