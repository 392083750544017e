import { isObject } from './json';
import { hasHidden, revealed } from './text';

/**
 * JSON from a server, for a model: code points replace whatever a model would read but a person would not see, in strings and
 * member names. Returns the same object if there is nothing to replace.
 */
export function revealedData<T>(data: T): T {
  // JSON escapes are not hidden characters, and code points need no escaping: the text can be cleaned as a whole, names
  // included.
  return hidesText(data) ? (JSON.parse(revealed(JSON.stringify(data))) as T) : data;
}

const shownItems = new WeakMap<object, object>();

/** A list item with its hidden characters revealed to a model: always one object for one item, as it is shown repeatedly. */
export function revealedItem<T extends object>(item: T): T {
  let shown = shownItems.get(item) as T | undefined;
  if (!shown) {
    shown = revealedData(item);
    shownItems.set(item, shown);
  }
  return shown;
}

/** Whether a text passes that is in the data, as a value or a name. Not recursive: data may be deeper than the stack. */
export function someText(data: unknown, passes: (text: string) => boolean): boolean {
  const open = [data];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') {
      if (passes(value)) return true;
    } else if (Array.isArray(value)) {
      for (const item of value) open.push(item);
    } else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) open.push(key, member);
    }
  }
  return false;
}

/** Most of what servers send hides nothing, and may be large: it is only scanned. */
const hidesText = (data: unknown): boolean => someText(data, hasHidden);

/**
 * Arguments as the server knows them: a model that was given `revealedData(schema)` answers with the revealed forms of names
 * and values in the schema, such as those of an `enum`. If the schema also has the literal form, that one is meant.
 */
export function restored<T>(schema: unknown, args: T): T {
  if (!hidesText(schema)) return args;
  const originals = new Map<string, string>();
  const literal = new Set<string>();
  const learn = (text: string) => {
    const shown = revealed(text);
    if (shown === text) literal.add(text);
    else originals.set(shown, text);
  };
  JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    learn(key);
    if (typeof value === 'string') learn(value);
    return value;
  });
  for (const text of literal) originals.delete(text);
  const restore = (value: unknown): unknown => {
    if (typeof value === 'string') return originals.get(value) ?? value;
    if (Array.isArray(value)) return value.map(restore);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [originals.get(key) ?? key, restore(member)]),
    );
  };
  return restore(args) as T;
}

/** The item that a model means by a name: the one with that name, or the one that was shown to it under that name. */
export function namedFor<T extends { readonly name: string }>(items: readonly T[], name: string): T | undefined {
  return items.find(item => item.name === name) ?? items.find(item => revealed(item.name) === name);
}

/** What a model reads of a refusal: that it should not try again, but continue. @param act what not to do again. */
export const refusedForModel = (reason: string, act = 'make this call'): string =>
  `${reason} Do not ${act} again. Continue without it, or ask the user.`;
