/** The largest side of an image, in pixels: few bytes can stand for a picture that fills the memory. */
const MAX_SIDE = 2_048;
/** Where an SVG has to begin. */
const SVG_HEAD = 1_024;
const SVG = /^\ufeff?\s*(?:<\?xml[^<>]*>\s*)?(?:<!--[^<>]*-->\s*)?(?:<!DOCTYPE\s+svg[^<>]*>\s*)?<svg[\s>]/i;
/**
 * SVG that is more than a drawing: scripts, event handlers, pages, external content, entities. The editor draws icons as
 * images, where none of these work; an icon with any of them is not trusted.
 */
const SVG_ACTS =
  /<\s*(?:script|foreignobject|iframe|object|embed|handler)\b|\bon\w+\s*=|<!entity|(?:href|src)\s*=\s*["']?\s*(?!#|data:image\/(?:png|jpeg|webp)[;,])[^\s"'#]|javascript:|@import|url\(\s*["']?\s*(?!#|["')])/i;

/**
 * The type of an image by its first bytes (spec 2025-11-25, 2026-07-28: basic#icons). Undefined for other types, or if the
 * declared type differs.
 * @param said the declared media type, if any.
 */
export function iconTypeOf(bytes: Buffer, said?: string): string | undefined {
  const type = typeByBytes(bytes);
  const named = said === 'image/jpg' ? 'image/jpeg' : said;
  return named === undefined || named === type ? type : undefined;
}

function typeByBytes(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 16);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return drawn('image/png', pngSize(bytes));
  if (head.startsWith('\xff\xd8\xff')) return drawn('image/jpeg', jpegSize(bytes));
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return drawn('image/webp', webpSize(bytes));
  if (!SVG.test(bytes.toString('utf8', 0, SVG_HEAD))) return undefined;
  return SVG_ACTS.test(bytes.toString('utf8')) ? undefined : 'image/svg+xml';
}

/** Width and height. Undefined for what has none, or has frames: a row is no place for a film. */
type Size = readonly [width: number, height: number] | undefined;

const drawn = (type: string, size: Size) => (size?.every(side => side > 0 && side <= MAX_SIDE) ? type : undefined);

function pngSize(bytes: Buffer): Size {
  // Frames are announced before the first data.
  const isAnimated = bytes.toString('latin1').split('IDAT', 1)[0]!.includes('acTL');
  return bytes.length < 24 || isAnimated ? undefined : [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** In the header of its only frame, behind segments that each say how long they are. */
function jpegSize(bytes: Buffer): Size {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUIntBE(at + 2, 2)) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [bytes.readUIntBE(at + 7, 2), bytes.readUIntBE(at + 5, 2)];
  }
  return undefined;
}

function webpSize(bytes: Buffer): Size {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return [little(bytes, 26, 2) & 0x3fff, little(bytes, 28, 2) & 0x3fff];
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)];
    }
    case 'VP8X': {
      const isAnimated = (bytes[20]! & 2) !== 0;
      return isAnimated ? undefined : [1 + little(bytes, 24, 3), 1 + little(bytes, 27, 3)];
    }
    default:
      return undefined;
  }
}

/** A number of so many bytes, the lowest first. */
const little = (bytes: Buffer, at: number, size: number): number =>
  bytes.subarray(at, at + size).reduceRight((value, byte) => value * 256 + byte, 0);
