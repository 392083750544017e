/** The largest side of a PNG, in pixels: few bytes can stand for a picture that fills the memory. */
const MAX_SIDE = 2_048;
/** Where an SVG has to begin. */
const SVG_HEAD = 1_024;
const SVG = /^\ufeff?\s*(?:<\?xml[^<>]*>\s*)?(?:<!--[^<>]*-->\s*)?(?:<!DOCTYPE\s+svg[^<>]*>\s*)?<svg[\s>]/i;

/**
 * The type of an image by its first bytes (spec 2025-11-25, 2026-07-28: basic#icons). Undefined if it is none that is drawn, or
 * not the one that it is said to be.
 * @param said a media type, or undefined if none was given.
 */
export function iconTypeOf(bytes: Buffer, said?: string): string | undefined {
  const type = typeByBytes(bytes);
  const named = said === 'image/jpg' ? 'image/jpeg' : said;
  return named === undefined || named === type ? type : undefined;
}

function typeByBytes(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 16);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) {
    const isSmall = bytes.length >= 24 && bytes.readUInt32BE(16) <= MAX_SIDE && bytes.readUInt32BE(20) <= MAX_SIDE;
    return isSmall ? 'image/png' : undefined;
  }
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'image/webp';
  return SVG.test(bytes.toString('utf8', 0, SVG_HEAD)) ? 'image/svg+xml' : undefined;
}
