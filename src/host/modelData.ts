import { hasHidden, revealed } from './text';

/**
 * JSON of a server for a model: in its texts and the names of its members, what a model would read and nobody sees stands
 * as code points. The very same value when there is nothing of that.
 */
export function revealedData<T>(data: T): T {
  const json = JSON.stringify(data);
  // No escape of JSON is hidden, and code points need none: the text is cleaned as a whole, names and all.
  return json !== undefined && hasHidden(json) ? (JSON.parse(revealed(json)) as T) : data;
}

/**
 * Arguments as the server knows them: a model that was given `revealedData(schema)` says back names and values that stand
 * for those of the schema, such as one of an `enum`. Where the schema has also what is said to the letter, that is meant.
 */
export function restored<T>(schema: unknown, args: T): T {
  const json = JSON.stringify(schema) ?? '';
  if (!hasHidden(json)) return args;
  const originals = new Map<string, string>();
  const literal = new Set<string>();
  const learn = (text: string) => {
    const shown = revealed(text);
    if (shown === text) literal.add(text);
    else originals.set(shown, text);
  };
  JSON.parse(json, (key, value: unknown) => {
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

/** The item that a model means by a name: the one of that name, or the one that was shown to it so. */
export function namedFor<T extends { readonly name: string }>(items: readonly T[], name: string): T | undefined {
  return items.find(item => item.name === name) ?? items.find(item => revealed(item.name) === name);
}
