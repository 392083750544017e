/** Something that owns a listener, a timer or a process until it is disposed. Same shape as VS Code's. */
export interface Disposable {
  dispose(): void;
}

/** Subscribes a listener; the returned handle unsubscribes it. Assignable to `vscode.Event`. */
export type Event<T> = (listener: (value: T) => unknown) => Disposable;

/** A source of events. A listener that throws is reported to `onError` and never stops the others. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => unknown>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = error => console.error(error)) {
    this.#onError = onError;
  }

  readonly event: Event<T> = listener => {
    // Wrapped, so that one function can be subscribed twice and each handle removes its own subscription.
    const entry = (value: T) => listener(value);
    this.#listeners.add(entry);
    return { dispose: () => void this.#listeners.delete(entry) };
  };

  fire(value: T): void {
    if (this.#listeners.size === 0) return;
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

/** Resolves when the condition, looked at now and after each event, holds, or the limit or the signal ends the wait. */
export async function until(
  condition: () => boolean,
  events: readonly ((listener: () => void) => Disposable)[],
  { limitMs, signal }: { readonly limitMs?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  if (condition() || signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = limitMs === undefined ? undefined : setTimeout(end, limitMs);
  const listeners = events.map(event => event(() => condition() && end()));
  signal?.addEventListener('abort', end);
  await promise;
  clearTimeout(timer);
  signal?.removeEventListener('abort', end);
  for (const listener of listeners) listener.dispose();
}

/** Disposes what was added, last added first. What is added after `dispose` is disposed at once. */
export class DisposableStore implements Disposable {
  readonly #items: Disposable[] = [];
  #disposed = false;

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    this.#disposed = true;
    for (const item of this.#items.splice(0).reverse()) item.dispose();
  }
}

/** Something that owns others, and disposes them with itself, the newest first. */
export abstract class Owner implements Disposable {
  readonly #owned = new DisposableStore();

  dispose(): void {
    this.#owned.dispose();
  }

  /** Returns what it owns from now on. */
  protected own<T extends Disposable>(item: T): T {
    return this.#owned.add(item);
  }
}

/** A map that disposes what is deleted from it, and all of it when it is disposed itself. */
export class DisposableMap<K, V extends Disposable = Disposable> extends Map<K, V> implements Disposable {
  override delete(key: K): boolean {
    const value = this.get(key);
    const isThere = super.delete(key);
    value?.dispose();
    return isThere;
  }

  dispose(): void {
    for (const key of this.keys()) this.delete(key);
  }
}

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

/** The value of a key, which is made and kept when it is first asked for. */
export function getOrInsert<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => NoInfer<V>,
): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
