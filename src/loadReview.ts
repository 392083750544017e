import type { CancellationToken } from 'vscode';
import type { OpenWholePage, WholeText } from './editor/review/wholePage';

/** Pages that show all of what is decided on, a bundle of its own (esbuild.js): loaded with the first of them. */
export function openWhole(text: WholeText, onAnswer: (answer: string) => void, onClose: () => void): OpenWholePage {
  const { openWholePage } = require('./editor/review/wholePage') as typeof import('./editor/review/wholePage');
  return openWholePage(text, onAnswer, onClose);
}

/** Shows all of a text, and resolves with what is answered there. Undefined: the page was closed, or nobody waits. */
export function askWhole(text: WholeText, token?: CancellationToken): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  if (token?.isCancellationRequested) return Promise.resolve(undefined);
  const page = openWhole(text, resolve, () => resolve(undefined));
  const cancelled = token?.onCancellationRequested(() => resolve(undefined));
  return promise.finally(() => {
    cancelled?.dispose();
    page.dispose();
  });
}
