import type { Progress } from '@modelcontextprotocol/client';
import { numberText } from '../base/numberText';
import { type PlainText, plain, visible } from '../base/text';
import { type PlainStep, t, window } from './window';

import vscode = require('vscode');

/** Shows a list until it is hidden or `listen`, which begins to listen to it, ends it with an answer. */
export async function answerIn<T>(
  list: Pick<vscode.QuickInput, 'dispose' | 'onDidHide' | 'show'>,
  listen: (end: (answer?: T) => void) => void,
): Promise<T | undefined> {
  try {
    return await new Promise<T | undefined>(resolve => {
      listen(resolve);
      list.onDidHide(() => resolve(undefined));
      list.show();
    });
  } finally {
    list.dispose();
  }
}

/** A date for a person. @param at in milliseconds since 1970. */
export const dateText = (at: number): string => new Date(at).toLocaleDateString(vscode.env.language);

/** A moment, in the person's language: only the time of day if it is today. */
export function momentText(at: number): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString(vscode.env.language) : date.toLocaleString(vscode.env.language);
}

export function answeredText(allowed: { at: number } | undefined, denied: { at: number } | undefined): PlainText {
  if (allowed && denied) return t('allowed {0}, a later change denied {1}', dateText(allowed.at), dateText(denied.at));
  return denied ? t('denied {0}', dateText(denied.at)) : t('allowed {0}', dateText(allowed?.at ?? 0));
}

/** How far a call is, in the words of its server or in numbers. */
export function progressText({ message, progress, total }: Progress): string {
  if (message) return visible(message, 120);
  return total ? t('{0} of {1}', progress, total) : numberText(progress);
}

/** Asks where to save a file of this name: by default in the first folder of the workspace. */
export function askWhereToSave(
  title: string,
  name: string,
  filters?: Record<string, string[]>,
): Thenable<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const defaultUri = folder && vscode.Uri.joinPath(folder, name);
  return vscode.window.showSaveDialog({ title, filters, defaultUri });
}

/** Shows the progress of work in a notification, with a way to cancel it. */
export function showProgress<T>(
  title: PlainText,
  work: (cancelled: AbortSignal, progress: vscode.Progress<PlainStep>) => Promise<T>,
): Thenable<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return window.withProgress(options, (progress, token) => work(abortOn(token), progress));
}

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
    void showProgress(plain(title), cancelled => {
      cancelled.addEventListener('abort', () => abort.abort());
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

export function tokenOf(signal: AbortSignal): vscode.CancellationToken {
  const source = new vscode.CancellationTokenSource();
  if (signal.aborted) source.cancel();
  signal.addEventListener('abort', () => source.cancel(), { once: true });
  return source.token;
}

export function abortOn(token: vscode.CancellationToken): AbortSignal {
  const abort = new AbortController();
  if (token.isCancellationRequested) abort.abort();
  token.onCancellationRequested(() => abort.abort());
  return abort.signal;
}
