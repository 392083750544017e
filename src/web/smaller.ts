// In place of: features/lint/core/alikePairs, features/chat/core/toolDeclarations, features/tools/core/pattern,
//   features/languageModel/core/scalePictures, features/languageModel/core/typeText

import { mediaTypeOf } from '../base/mediaType';
import type { declarationOf as declared, functionNames as named } from '../features/chat/core/toolDeclarations';
import type { ImagePart } from '../features/languageModel/core/modelMessage';
import { isToBeScaled, MAX_SIDE, type ScalePictures } from '../features/languageModel/core/modelPictures';
import type {
  commentOf as commented,
  keyOf as keyed,
  typeText as typed,
} from '../features/languageModel/core/typeText';
import type { alikePairs as compared } from '../features/lint/core/alikePairs';

/*
 * What a web window, whose program is full and whose worker cannot be interrupted, does more simply.
 */

/** In a web window, whose program is full, tools are compared by name only. */
export const alikePairs: typeof compared = tools => {
  const folded = tools.slice(0, 300).map(({ name, inputSchema: { required = [] } }) => ({
    name,
    of: name.toLowerCase().replace(/[_.-]/g, '').replace(/s$/, ''),
    required: `${[...required].sort()}`,
  }));
  return folded.flatMap(({ name, of, required }, index) =>
    folded
      .slice(index + 1)
      .filter(other => other.of === of && other.required === required)
      .map(other => ({ one: name, other: other.name, by: 'name' as const })),
  );
};

/** Declarations are for scripts, which do not run in web windows. */
export const declarationOf: typeof declared = () => '';
export const functionNames: typeof named = () => new Map();

/** What JSON a field of a page takes is not said there either. */
export const typeText: typeof typed = () => '';
export const commentOf: typeof commented = () => '';
export const keyOf: typeof keyed = () => '';

/** A worker can't stop an expression of a server that takes for ever, so that none is run: the server decides. */
export const matches = (): boolean => true;

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
