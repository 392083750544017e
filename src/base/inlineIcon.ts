import { stringOf } from './json';
import { mediaTypeOf, USUAL_SCANS } from './mediaType';
import { isPlainDrawing } from './svgIcon';

/** An icon is drawn only if it is small and an image by its bytes. */
const INLINE = /^data:(image\/(?:png|jpe?g|webp|svg\+xml));base64,([A-Za-z0-9+/]+={0,2})$/;
const MAX_LENGTH = 32_768;

/** The icon in a `data:` URI, if it is small and an image by its bytes. Otherwise undefined. */
export function inlineIcon(src: string): string | undefined {
  if (src.length > MAX_LENGTH) return undefined;
  const [, declared, base64 = ''] = INLINE.exec(src) ?? [];
  const type = declared && iconTypeOf(Buffer.from(base64, 'base64'), declared);
  return type && `data:${type};base64,${base64}`;
}

/** Those of an item's icons that `inlineIcon` passes. Undefined: none. */
export function inlineIcons(icons: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(icons)) return undefined;
  const passed = icons.slice(0, ICONS_LOOKED_AT).filter(icon => inlineIcon(stringOf(Object(icon).src)));
  return passed.length > 0 ? passed : undefined;
}

/** How many of one item's icons are looked at. */
export const ICONS_LOOKED_AT = 8;

/** The largest side of an image, in pixels: few bytes can stand for a picture that fills the memory. */
const MAX_SIDE = 2_048;
/** The type of an image by its first bytes (spec: basic#icons). Undefined: another, or not as `said`. */
export function iconTypeOf(bytes: Buffer, said?: string): string | undefined {
  const type = typeByBytes(bytes);
  const named = said === 'image/jpg' ? 'image/jpeg' : said;
  return named === undefined || named === type ? type : undefined;
}

function typeByBytes(bytes: Buffer): string | undefined {
  const { type = '', width = 0, height = 0, scans = 1 } = mediaTypeOf(bytes) ?? {};
  if (['image/png', 'image/jpeg', 'image/webp'].includes(type)) {
    const isSmall = Math.min(width, height) > 0 && Math.max(width, height) <= MAX_SIDE && scans <= USUAL_SCANS;
    return isSmall && !isAnimated(type, bytes) ? type : undefined;
  }
  return isPlainDrawing(bytes.toString('utf8')) ? 'image/svg+xml' : undefined;
}

/** A row is no place for a film. */
function isAnimated(type: string, bytes: Buffer): boolean {
  if (type === 'image/png') return isAnimatedPng(bytes);
  return type === 'image/webp' && bytes.toString('latin1', 12, 16) === 'VP8X' && (bytes[20]! & 2) !== 0;
}

/** Frames are announced before the first data. Chunk by chunk, as texts may have any bytes. */
function isAnimatedPng(bytes: Buffer): boolean {
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (name === 'acTL') return true;
    if (name === 'IDAT') return false;
  }
  return false;
}
