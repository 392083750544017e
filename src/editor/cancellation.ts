import type * as vscode from 'vscode';

/** A signal that is aborted when the token is cancelled. */
export function abortOn(token: vscode.CancellationToken): AbortSignal {
  const abort = new AbortController();
  if (token.isCancellationRequested) abort.abort();
  token.onCancellationRequested(() => abort.abort());
  return abort.signal;
}
