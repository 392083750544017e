import { drawingWork, mediaTypeOf } from './mediaType';
import { visibleLines } from './text';

/** For all texts together, in characters as shown. */
const MAX_SHOWN = 5_000_000;
/** For an editor or a page, a line is as much work as some letters. */
export const LINE_WEIGHT = 20;
/** Of all pictures together. */
const MAX_PIXELS = 100_000_000;
/** Shorter texts are always shown. */
const SHORT = 500;

/** How much work a text is for an editor or a page, in letters. */
export const textWeight = (text: string): number => text.length + text.split('\n').length * LINE_WEIGHT;

/** The beginning of a text that weighs at most this, with a mark where it is cut. See `textWeight`. */
export function withinWeight(text: string, most: number): string {
  let [end, left] = [0, most];
  while (end < text.length) {
    const next = text.indexOf('\n', end) + 1 || text.length;
    const weight = next - end + LINE_WEIGHT;
    if (weight > left) return `${text.slice(0, end + left)}…`;
    [end, left] = [next, left - weight];
  }
  return text;
}

/** How much of one result a page or document shows. With more, it would stop responding. */
export class DrawingBudget {
  #left = MAX_SHOWN;
  #pixels = MAX_PIXELS;

  /** Several lines with hidden characters visible, which makes a text up to eight times as long. Undefined: there is no room for them. */
  lines(text: string): string | undefined {
    if (!this.#mayHave(text)) return undefined;
    const shown = visibleLines(text, Number.POSITIVE_INFINITY);
    return this.#takes(text, textWeight(shown)) ? shown : undefined;
  }

  /** Whether there is room for a text that is shown as it is. */
  hasRoomFor(text: string): boolean {
    return this.#mayHave(text) && this.#takes(text, text.length);
  }

  /** Whether there is room for a picture. There is none for one whose bytes don't tell its size; what is no picture takes no room. */
  draws(picture: Uint8Array): boolean {
    const media = mediaTypeOf(picture);
    const work = drawingWork(media);
    const fits = (work > 0 || media === undefined) && work <= this.#pixels;
    if (fits) this.#pixels -= work;
    return fits;
  }

  #mayHave({ length }: string): boolean {
    return length <= Math.max(SHORT, this.#left);
  }

  /** What does not fit is paid for, too: it was work. */
  #takes(text: string, weight: number): boolean {
    const fits = weight <= this.#left || text.length <= SHORT;
    this.#left -= weight;
    return fits;
  }
}
