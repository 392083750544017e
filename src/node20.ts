const missing = (of: object, name: string, value: unknown) => {
  if (!(name in of)) Object.defineProperty(of, name, { value, writable: true, configurable: true });
};

function grouped<K, V>(items: Iterable<V>, keyOf: (item: V, index: number) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * Adds what Node 20 lacks of the functions that the code uses. For programs that people run with a Node of their own; editors bring
 * a newer one.
 */
export function fillNode20(): void {
  missing(Promise, 'withResolvers', function withResolvers<T>(this: PromiseConstructor) {
    let resolve!: (value: T | PromiseLike<T>) => void;
    let reject!: (reason?: unknown) => void;
    const promise = new this<T>((...functions) => {
      [resolve, reject] = functions;
    });
    return { promise, resolve, reject };
  });
  missing(Map, 'groupBy', grouped);
  missing(Object, 'groupBy', <V>(items: Iterable<V>, keyOf: (item: V, index: number) => PropertyKey) =>
    Object.assign(Object.create(null), Object.fromEntries(grouped(items, keyOf))),
  );
}
