/** Whether a value read from JSON is an object: neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
