/** What a file says about itself by its bytes. Of a picture, its pixels. */
export interface MediaType {
  readonly type: string;
  readonly width?: number;
  readonly height?: number;
  /** How often the data of a JPEG goes over its pixels, which is work and takes few bytes. */
  readonly scans?: number;
}

/** How files begin that tools send, in hexadecimal. Gzip is missing on purpose: it is what opaque cursors often are. */
const BEGINNINGS: readonly (readonly [type: string, beginning: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/bmp', /^424d.{8}00000000/],
  ['image/tiff', /^(?:49492a00|4d4d002a)/],
  ['image/avif', /^.{8}6674797061766966/],
  ['image/heic', /^.{8}6674797068656963/],
  ['image/x-icon', /^00000100..00/],
  ['application/pdf', /^255044462d/],
  ['application/zip', /^504b0304/],
  ['audio/wav', /^52494646.{8}57415645/],
  ['audio/mpeg', /^(?:4944330[2-4]|fff[ab])/],
  ['audio/aac', /^fff[19]/],
  ['audio/ogg', /^4f676753/],
  ['audio/flac', /^664c6143/],
  ['video/mp4', /^.{8}66747970(?:69736f6d|69736f32|6d7034|61766331|4d3456)/],
  ['video/webm', /^1a45dfa3/],
  ['font/woff2', /^774f4632/],
];
/** Of a progressive JPEG as programs write it: ten, and some more. */
export const USUAL_SCANS = 16;
/** How much work it is to draw a picture, in pixels. 0 where its bytes do not tell. */
export const drawingWork = ({ width = 0, height = 0, scans = 1 }: Partial<MediaType> = {}): number =>
  width * height * Math.ceil(scans / USUAL_SCANS);

const SVG = /^\s*(?:<\?xml[^>]{0,200}\?>\s*)?<svg[\s>]/;

const LONGEST_BEGINNING = 16;
const LONGEST_SVG = 300;

/** The type of a file by its first bytes; undefined for others than the usual ones. */
export function mediaTypeOf(data: Uint8Array): MediaType | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const beginning = bytes.toString('hex', 0, Math.min(LONGEST_BEGINNING, bytes.length));
  const [known] = BEGINNINGS.find(([, pattern]) => pattern.test(beginning)) ?? [];
  const isSvg = known === undefined && SVG.test(bytes.toString('latin1', 0, Math.min(LONGEST_SVG, bytes.length)));
  const type = isSvg ? 'image/svg+xml' : known;
  return type === undefined ? undefined : { type, ...pixels(type, bytes) };
}

type Pixels = { width: number; height: number; scans?: number };

function pixels(type: string, bytes: Buffer): Pixels | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    switch (type) {
      case 'image/png':
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case 'image/gif':
        return gifPixels(view, bytes);
      case 'image/jpeg':
        return jpegPixels(view, bytes);
      case 'image/webp':
        return webpPixels(view);
    }
  } catch {
    // It ends before it says so.
  }
  return undefined;
}

/**
 * Goes from marker to marker (https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.1.1, B.2). Undefined if decoders could read another size
 * than this one: for markers where none of the kind belongs, and for two frames.
 */
function jpegPixels(view: DataView, bytes: Buffer): Pixels | undefined {
  let frame: { width: number; height: number } | undefined;
  let scans = 0;
  for (let at = 2; at < bytes.length; at += 2 + view.getUint16(at + 2)) {
    if (scans > 0) at = markerFrom(bytes, at);
    const isMarker = bytes[at] === 0xff;
    while (bytes[at + 1] === 0xff) at++;
    const marker = bytes[at + 1];
    if (frame && (marker === undefined || marker === 0xd9)) break;
    if (!isMarker || marker === undefined || marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd9)) return undefined;
    if (marker === 0xda) {
      if (!frame) return undefined;
      scans++;
    } else if (marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      if (frame) return undefined;
      frame = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    }
  }
  return frame && { ...frame, scans };
}

/** Where the next marker is behind data of a scan, in which a byte 0 or a restart marks none. */
function markerFrom(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}

/** The screen, or a frame that is larger: decoders make the screen as large. */
function gifPixels(view: DataView, bytes: Buffer): Pixels {
  const tableOf = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  let [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  let at = 13 + tableOf(view.getUint8(10));
  // Extensions and frames, each with blocks behind it that have their lengths.
  for (; bytes[at] === 0x21 || bytes[at] === 0x2c; at++) {
    if (bytes[at] === 0x21) at += 2;
    else {
      width = Math.max(width, view.getUint16(at + 1, true) + view.getUint16(at + 5, true));
      height = Math.max(height, view.getUint16(at + 3, true) + view.getUint16(at + 7, true));
      at += 11 + tableOf(view.getUint8(at + 9));
    }
    while (bytes[at]) at += 1 + bytes[at]!;
  }
  return { width, height };
}

/** Each of the three forms has its size elsewhere (https://developers.google.com/speed/webp/docs/riff_container). */
function webpPixels(view: DataView): { width: number; height: number } | undefined {
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X
      return {
        width: 1 + view.getUint16(24, true) + (view.getUint8(26) << 16),
        height: 1 + view.getUint16(27, true) + (view.getUint8(29) << 16),
      };
    case 0x5650384c: {
      // VP8L
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 0x56503820: // VP8
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}
