/** Whether a value read from JSON is an object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The texts of a list read from JSON; none if it is no list. */
export const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(item => typeof item === 'string') : [];

/** The objects of a list read from JSON; none if it is no list. */
export const objectsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The object without members that are null, which servers write for what is absent; the same object if there are none. */
export function withoutNulls<T extends object>(value: T): T {
  const members = Object.entries(value);
  const present = members.filter(([, member]) => member !== null);
  return present.length === members.length ? value : (Object.fromEntries(present) as T);
}

/** The value in a text of JSON; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Path = readonly (string | number)[];

/** A copy of a value with every text in it, at whatever depth, replaced. Names of members stay. */
export function mapTexts<T>(value: T, replace: (text: string, path: Path) => string, path?: Path): T;
export function mapTexts(value: unknown, replace: (text: string, path: Path) => string, path: Path = []): unknown {
  if (typeof value === 'string') return replace(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, replace, [...path, index]));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, replace, [...path, key])]));
}

/** Whether data is nested in more than this many levels of objects and lists. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1));
}
