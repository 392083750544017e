import { getOrInsert } from '../base/events';
import { withInlineIcons } from '../base/inlineIcon';
import { isObject } from '../base/json';
import { startOf } from '../base/text';

/**
 * How long texts of an item are, in characters. The editor reads them as markdown, for which the time may grow with the square of the
 * length, and models take less.
 */
const MAX_LENGTHS: Readonly<Record<string, number>> = { title: 200, description: 8_000, message: 1_000 };
const MAX_ARGUMENTS = 100;

const bounded = new WeakMap<object, object>();

/** An item of a list for a client that draws it in the page of its window: always one object for one item. */
export const boundedItem = <T extends object>(item: T): T =>
  getOrInsert(bounded, item, () => withBoundedTexts(withInlineIcons(item))) as T;

/** An object whose texts are as long as a client can draw them. */
export function withBoundedTexts<T>(item: T): T {
  if (!isObject(item)) return item;
  const entries = Object.entries(item).map(([key, value]: [string, unknown]) => {
    if (key === 'annotations') return [key, withBoundedTexts(value)];
    if (key === 'arguments' && Array.isArray(value)) return [key, value.slice(0, MAX_ARGUMENTS).map(withBoundedTexts)];
    const length = typeof value === 'string' ? MAX_LENGTHS[key] : undefined;
    return [key, length === undefined ? value : boundedText(value as string, length)];
  });
  return Object.fromEntries(entries) as T;
}

/** The beginning of a longer text. */
export const boundedText = (text: string, length: number): string =>
  text.length > length ? `${startOf(text, length - 1)}…` : text;
