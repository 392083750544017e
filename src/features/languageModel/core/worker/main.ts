import { constants } from 'node:zlib';
import * as jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import type { ScaleAnswer, ScaleRequest } from '../scalePictures';

const { Z_DEFAULT_STRATEGY } = constants;
const MAX_MB = 512;
const JPEG_QUALITY = 85;

function scaled(mimeType: string, data: Buffer, side: number): Uint8Array | undefined {
  try {
    if (mimeType === 'image/jpeg') {
      const options = { maxMemoryUsageInMB: MAX_MB, formatAsRGBA: true, useTArray: true } as const;
      return jpeg.encode(smaller(jpeg.decode(data, options), side), JPEG_QUALITY).data;
    }
    // The data of interlaced ones may unpack to more than their header says.
    if (data[28] !== 0) return undefined;
    const image = smaller(PNG.sync.read(data), side);
    const png = new PNG({ width: image.width, height: image.height });
    png.data.set(image.data);
    return PNG.sync.write(png, { colorType: isOpaque(image) ? 2 : 6, deflateStrategy: Z_DEFAULT_STRATEGY });
  } catch {
    return undefined;
  }
}

function isOpaque({ data }: Pixels): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}

process.once('message', ({ pictures, side }: ScaleRequest) => {
  const answer: ScaleAnswer = pictures.map(({ mimeType, data }) => scaled(mimeType, Buffer.from(data), side));
  process.send?.(answer);
});
// The window that wanted the pictures has closed.
process.once('disconnect', () => process.exit());

/** The pixels of a picture, row by row, as red, green, blue and opacity. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A picture whose longer side has `side` pixels. Each of them is the average of those that it covers, so thin lines stay. */
function smaller(image: Pixels, side: number): Pixels {
  const scale = side / Math.max(image.width, image.height);
  const [width, height] = [image.width, image.height].map(length => Math.max(1, Math.round(length * scale)));
  return turned(narrowed(turned(narrowed(image, width!)), height!));
}

/** The picture with fewer pixels in a row. */
function narrowed({ width: from, height, data }: Pixels, width: number): Pixels {
  const made = new Uint8Array(width * height * 4);
  const step = from / width;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [begin, end] = [x * step, Math.min((x + 1) * step, from)];
      let [red, green, blue, opacity] = [0, 0, 0, 0];
      for (let at = Math.floor(begin); at < end; at++) {
        const share = Math.min(at + 1, end) - Math.max(at, begin);
        const pixel = (y * from + at) * 4;
        const weight = share * data[pixel + 3]!;
        red += weight * data[pixel]!;
        green += weight * data[pixel + 1]!;
        blue += weight * data[pixel + 2]!;
        opacity += weight;
      }
      const pixel = (y * width + x) * 4;
      const whole = opacity || 1;
      made[pixel] = Math.round(red / whole);
      made[pixel + 1] = Math.round(green / whole);
      made[pixel + 2] = Math.round(blue / whole);
      made[pixel + 3] = Math.round(opacity / (end - begin));
    }
  }
  return { width, height, data: made };
}

/** The picture with rows and columns exchanged. */
function turned({ width, height, data }: Pixels): Pixels {
  const made = new Uint8Array(data.length);
  const [from, to] = [new Uint32Array(data.buffer, data.byteOffset, width * height), new Uint32Array(made.buffer)];
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) to[x * height + y] = from[y * width + x]!;
  return { width: height, height: width, data: made };
}
