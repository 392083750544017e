/** A value that is made when it is first asked for. */
export interface Lazy<T> {
  (): T;
  /** The value, or undefined before it is made; reading this does not make it. */
  readonly loaded: T | undefined;
}

/** @param make called once, when the value is first asked for; again after it has thrown. */
export function lazy<T>(make: () => T): Lazy<T> {
  let made: { readonly value: T } | undefined;
  const get = () => {
    made ??= { value: make() };
    return made.value;
  };
  return Object.defineProperty(get, 'loaded', { get: () => made?.value }) as unknown as Lazy<T>;
}
