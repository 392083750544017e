// In place of: features/languageModel/core/scalePictures
import { mediaTypeOf } from '../base/bytesInText';
import {
  type ImagePart,
  isToBeScaled,
  MAX_SIDE,
  type ScalePictures,
} from '../features/languageModel/core/modelMessage';

/** The part of a browser that has pictures, as far as it is needed. Workers have it, and Node's types do not. */
interface Drawing {
  createImageBitmap(
    blob: Blob,
    options: { resizeWidth: number; resizeHeight: number; resizeQuality: 'high' },
  ): Promise<unknown>;
  readonly OffscreenCanvas: new (
    width: number,
    height: number,
  ) => {
    getContext(kind: 'bitmaprenderer'): { transferFromImageBitmap(bitmap: unknown): void };
    convertToBlob(options: { type: string; quality: number }): Promise<Blob>;
  };
}

const QUALITY = 0.85;

/** Web windows scale with what the browser has: they have no processes for us. */
export const scalePictures = (): ScalePictures => pictures => Promise.all(pictures.map(scaled));

async function scaled(picture: ImagePart): Promise<ImagePart> {
  if (!isToBeScaled(picture)) return picture;
  try {
    const { createImageBitmap, OffscreenCanvas } = globalThis as unknown as Drawing;
    const { width = 1, height = 1 } = mediaTypeOf(picture.data) ?? {};
    const scale = MAX_SIDE / Math.max(width, height);
    const [resizeWidth, resizeHeight] = [
      Math.max(1, Math.round(width * scale)),
      Math.max(1, Math.round(height * scale)),
    ];
    const blob = new Blob([Buffer.from(picture.data)], { type: picture.mimeType });
    const bitmap = await createImageBitmap(blob, { resizeWidth, resizeHeight, resizeQuality: 'high' });
    const canvas = new OffscreenCanvas(resizeWidth, resizeHeight);
    canvas.getContext('bitmaprenderer').transferFromImageBitmap(bitmap);
    const type = picture.mimeType === 'image/jpeg' ? 'image/jpeg' : 'image/png';
    const made = await canvas.convertToBlob({ type, quality: QUALITY });
    return { ...picture, mimeType: type, data: new Uint8Array(await made.arrayBuffer()) };
  } catch {
    // It can't be read, or this browser has no such thing.
    return picture;
  }
}
