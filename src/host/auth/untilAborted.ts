/** Waits for an answer until a signal aborts. Rejects with the reason of the signal then. */
export function aborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
