import { crc32, deflateSync } from 'node:zlib';
import type { Icon } from '@modelcontextprotocol/server';

type Color = readonly [red: number, green: number, blue: number, alpha: number];

const NOTHING: Color = [0, 0, 0, 0];
const COVER: Color = [38, 110, 122, 255];
const SPINE: Color = [26, 80, 90, 255];
const PAPER: Color = [250, 247, 238, 255];
const LINE: Color = [170, 190, 196, 255];
const RIBBON: Color = [214, 84, 62, 255];

/** The notebook's cover as a PNG of `side` by `side` pixels. */
export function drawCover(side: number): Buffer {
  return encodePng(side, (x, y) => colorAt((x + 0.5) / side, (y + 0.5) / side));
}

/** The notebook's cover as an icon of the protocol. */
export const COVER_ICON: Icon = {
  src: `data:image/png;base64,${drawCover(48).toString('base64')}`,
  mimeType: 'image/png',
  sizes: ['48x48'],
};

/** The drawing itself: the colour at a point, whose coordinates go from 0 to 1. */
function colorAt(x: number, y: number): Color {
  const notch = 0.04 * (1 - Math.abs(x - 0.75) / 0.05);
  if (x > 0.7 && x < 0.8 && y > 0.04 && y < 0.46 - notch) return RIBBON;
  if (x < 0.12 || x > 0.88 || y < 0.04 || y > 0.96) return NOTHING;
  if (x < 0.24) return SPINE;
  if (x < 0.32 || x > 0.8 || y < 0.22 || y > 0.78) return COVER;
  const row = (y - 0.22) / 0.14;
  const written = x > 0.38 && x < (row > 3 ? 0.6 : 0.74);
  return written && Math.abs((row % 1) - 0.5) < 0.08 ? LINE : PAPER;
}

/** A PNG with eight bits for each of red, green, blue and alpha. See https://www.w3.org/TR/png-3/ */
function encodePng(side: number, colorOf: (x: number, y: number) => Color): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 6], 8); // eight bits; red, green, blue and alpha
  const pixels = Buffer.alloc(side * (1 + side * 4)); // each row begins with a byte that says: not filtered
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) pixels.set(colorOf(x, y), y * (1 + side * 4) + 1 + x * 4);
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Length of the data, type, data, and a checksum of the last two. */
function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  const checksum = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}
