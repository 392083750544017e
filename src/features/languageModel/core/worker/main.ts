import { constants } from 'node:zlib';
import * as jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import type { ScaleAnswer, ScaleRequest } from '../scalePictures';
import { type Pixels, smaller } from './smaller';

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
