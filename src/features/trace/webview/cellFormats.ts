import { numberText } from '../../../base/numberText';

const two = (value: number) => String(value).padStart(2, '0');

/** Time of day: `14:05:09.123`. */
export function formatTime(at: number): string {
  const date = new Date(at);
  const millis = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${millis}`;
}

/** How long the bar of a duration is, from 0 to 1: ten times the duration adds a quarter. */
export const barOf = (ms: number): number => Math.min(1, Math.max(0.04, Math.log10(1 + ms) / 4.5));

/** The number of colours for servers: each is that of a dot, and then of a ring. */
export const HUES = 6;

/** Gives each name a mark of its own as long as there are enough, and the same in most windows. */
export class ServerMarks {
  readonly #marks = new Map<string, number>();

  /** @returns the number of a colour, and beyond `HUES` that of a ring. */
  of(name: string): number {
    const known = this.#marks.get(name);
    if (known !== undefined) return known;
    let hash = 0;
    for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) >>> 0;
    const taken = new Set(this.#marks.values());
    const inOrder = Array.from({ length: 2 * HUES }, (_, at) => ((hash + at) % HUES) + (at < HUES ? 0 : HUES));
    const mark = inOrder.find(one => !taken.has(one)) ?? hash % HUES;
    this.#marks.set(name, mark);
    return mark;
  }
}

/** Fills in `{0}`, `{1}`…, with numbers in the person's language. */
export const filled = (text: string, ...values: (string | number)[]) =>
  text.replace(/\{(\d)\}/g, (all, index: string) => {
    const value = values[Number(index)] ?? all;
    return typeof value === 'number' ? numberText(value) : value;
  });
