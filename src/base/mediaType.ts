/** What the first bytes of a file say about it. Of a picture, its pixels. */
export interface MediaType {
  readonly type: string;
  readonly width?: number;
  readonly height?: number;
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
  ['audio/ogg', /^4f676753/],
  ['audio/flac', /^664c6143/],
  ['video/mp4', /^.{8}66747970(?:69736f6d|69736f32|6d7034|61766331|4d3456)/],
  ['video/webm', /^1a45dfa3/],
  ['font/woff2', /^774f4632/],
];
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

function pixels(type: string, bytes: Buffer): { width: number; height: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    switch (type) {
      case 'image/png':
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case 'image/gif':
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      case 'image/jpeg':
        return jpegPixels(view);
      case 'image/webp':
        return webpPixels(view);
    }
  } catch {
    // It ends before it says so.
  }
  return undefined;
}

/** Goes from marker to marker, to the one that begins a frame (https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.2). */
function jpegPixels(view: DataView): { width: number; height: number } | undefined {
  for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at + 1) === 0xff) at++;
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff || marker === 0xda) return undefined;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
  }
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
