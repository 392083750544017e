import { crc32 } from 'node:zlib';

type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/**
 * The type of an image by its bytes; undefined when models do not accept the type, or the image is incomplete. The editor
 * decodes the images of a message, and fails the whole request, without a reason, for one that it can't read.
 */
export function imageTypeOf(data: Uint8Array): ImageType | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (isWholePng(bytes)) return 'image/png';
  if (bytes.length > 100 && bytes.readUIntBE(0, 3) === 0xffd8ff && bytes.lastIndexOf('ffd9', -1, 'hex') > 0) {
    return 'image/jpeg';
  }
  if (/^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)) && bytes.lastIndexOf(0x3b) > 13) return 'image/gif';
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  if (isWebp && bytes.length > 20 && bytes.readUInt32LE(4) + 8 <= bytes.length) return 'image/webp';
  return undefined;
}

/**
 * Walks the chunks to the end, checking their sums (https://www.w3.org/TR/png/#5DataRep). As viewers do, it forgives a wrong
 * sum of what is not needed for the picture (a lower-case first letter: an ancillary chunk).
 */
function isWholePng(bytes: Buffer): boolean {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') return false;
  let pixels = false;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) return false;
    const isNeeded = (bytes[at + 4]! & 0x20) === 0;
    if (isNeeded && crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') pixels = true;
    if (type === 'IEND') return pixels;
    at = end + 4;
  }
  return false;
}
