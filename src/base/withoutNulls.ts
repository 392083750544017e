/** The object without members that are null, which servers write for what is absent; the same object if there are none. */
export function withoutNulls<T extends object>(value: T): T {
  const members = Object.entries(value);
  const present = members.filter(([, member]) => member !== null);
  return present.length === members.length ? value : (Object.fromEntries(present) as T);
}
