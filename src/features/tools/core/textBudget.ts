import { visibleLines } from '../../../base/text';

/** For all texts together, in characters as shown. */
const MAX_SHOWN = 5_000_000;
/** For an editor or a page, a line is as much work as some letters. */
const LINE_WEIGHT = 20;
/** Shorter texts are always shown. */
const SHORT = 500;

/** What a page or a document shows of the texts of one result, of which it would stop for more. */
export class TextBudget {
  #left = MAX_SHOWN;

  /** Several lines with hidden characters visible, which makes a text up to eight times as long. Undefined: there is no room for them. */
  lines(text: string): string | undefined {
    if (!this.#mayHave(text)) return undefined;
    const shown = visibleLines(text, Number.POSITIVE_INFINITY);
    return this.#takes(text, shown.length + shown.split('\n').length * LINE_WEIGHT) ? shown : undefined;
  }

  /** Whether there is room for a text that is shown as it is. */
  hasRoomFor(text: string): boolean {
    return this.#mayHave(text) && this.#takes(text, text.length);
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
