// In place of: node:timers/promises
import * as timers from './timers';

/** Resolves after a while; rejects as soon as `signal` is aborted. */
export function setTimeout<T>(ms: number, value: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      timers.clearTimeout(timer);
      reject(new DOMException('The operation was aborted', 'AbortError'));
    };
    const timer = timers.setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

export const setImmediate = (): Promise<void> => new Promise(resolve => timers.setImmediate(() => resolve()));
