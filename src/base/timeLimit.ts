/**
 * Runs something that ends with its signal: when one of `signals` does, or after `limitMs`, with a `TimeoutError` as the
 * reason. In place of `AbortSignal.any` with `AbortSignal.timeout`, which Node 22.15 and others collect as garbage, so that
 * the limit never comes.
 */
export async function limited<T>(
  limitMs: number,
  signals: readonly AbortSignal[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new DOMException(`${limitMs} ms are over`, 'TimeoutError')), limitMs);
  const abort = ({ target }: Event) => over.abort((target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) over.abort(signal.reason);
    signal.addEventListener('abort', abort);
  }
  try {
    return await run(over.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
}
