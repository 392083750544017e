import vscode = require('vscode');

import { plain } from '../base/text';
import { window } from './window';

/** Work that ends sooner shows no progress. */
const QUIET_MS = 1_000;

/** Runs work; after a while, shows its progress with a way to cancel. Resolves with undefined if cancelled. */
export async function withProgress<T>(
  title: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const abort = new AbortController();
  const done = work(abort.signal);
  const timer = setTimeout(() => {
    const location = vscode.ProgressLocation.Notification;
    void window.withProgress({ location, title: plain(title), cancellable: true }, (_, token) => {
      token.onCancellationRequested(() => abort.abort());
      return done.then(
        () => {},
        () => {},
      );
    });
  }, QUIET_MS);
  try {
    return await done;
  } catch (error) {
    if (abort.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
