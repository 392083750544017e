import type { CancellationToken } from 'vscode';
import { openWholePage, type WholeText } from './wholePage';

/**
 * Shows all of a text, and resolves with the answer given there. Undefined: the page was closed, or the question was
 * withdrawn.
 */
export function askWhole(text: WholeText, token?: CancellationToken): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  if (token?.isCancellationRequested) return Promise.resolve(undefined);
  const page = openWholePage(text, resolve, () => resolve(undefined));
  const cancelled = token?.onCancellationRequested(() => resolve(undefined));
  return promise.finally(() => {
    cancelled?.dispose();
    page.dispose();
  });
}
