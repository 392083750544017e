import { isolatedProcess } from '../../../base/isolatedProcess';
import type { ImagePart } from './modelMessage';
import { isToBeScaled, MAX_SIDE, type ScalePictures } from './modelPictures';

export interface ScaleRequest {
  readonly pictures: readonly Pick<ImagePart, 'mimeType' | 'data'>[];
  /** The longer side of a scaled picture, in pixels. */
  readonly side: number;
}

/** Its answer: for each picture, in order, the smaller one, or nothing where it could not read it. */
export type ScaleAnswer = readonly (Uint8Array | undefined)[];

/** The types that it reads: those of screenshots and photographs. Others are sent as they are. */
const TYPES = ['image/png', 'image/jpeg'];
const LIMIT_MS = 20_000;

/** Scales in a process of its own, which takes nothing from the window and then ends. @param program its file. */
export const scalePictures =
  (program: string): ScalePictures =>
  async pictures => {
    const large = pictures.filter(picture => TYPES.includes(picture.mimeType) && isToBeScaled(picture));
    if (large.length === 0) return pictures;
    const answer = await ask(program, large);
    return pictures.map(picture => {
      const data = answer[large.indexOf(picture)];
      return data ? { ...picture, data } : picture;
    });
  };

function ask(program: string, pictures: readonly ImagePart[]): Promise<ScaleAnswer> {
  return new Promise(resolve => {
    const child = isolatedProcess(program);
    const end = (answer: ScaleAnswer) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      resolve(answer);
    };
    const timer = setTimeout(() => end([]), LIMIT_MS);
    child.once('message', (answer: ScaleAnswer) => end(answer));
    child.once('error', () => end([]));
    child.once('exit', () => end([]));
    const sent = pictures.map(({ mimeType, data }) => ({ mimeType, data }));
    child.send({ pictures: sent, side: MAX_SIDE } satisfies ScaleRequest, () => {});
  });
}
