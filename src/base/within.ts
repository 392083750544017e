/** Resolves as a promise does; with something else if that takes longer than `limitMs`. */
export async function within<T, O>(promise: Promise<T>, limitMs: number, otherwise: O): Promise<T | O> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<O>(resolve => {
    timer = setTimeout(resolve, limitMs, otherwise).unref();
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
