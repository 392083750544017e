import vscode = require('vscode');

import { type PlainText, plain, visible } from '../../base/text';
import { type PlainInputBox, type PlainQuickPick, type PlainRow, say, t } from '../../editor/window';
import type { ReadyChoice } from './core/stepRows';
import type { SuggestionFeed } from './core/suggestionFeed';

/** One argument as a person is asked for it. */
export interface ArgumentQuestion {
  /** Its name in the protocol. */
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required: boolean;
  /** Offered as the value; never sent unless the person accepts it. */
  initial?: string | undefined;
}

/**
 * How a step ended. `plain` and `suggesting` continue with the same question in the other kind of input; `late` fires with
 * what is still typed into this one until the other is shown.
 */
export type StepResult =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'back' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'plain'; readonly late: vscode.Event<string> }
  | { readonly kind: 'suggesting'; readonly typed: string; readonly late: vscode.Event<string> };

export interface StepContext {
  readonly title: string;
  readonly question: ArgumentQuestion;
  readonly step: number;
  readonly totalSteps: number;
  readonly current: string | undefined;
  readonly choices: readonly ReadyChoice[];
  /** A preview of the result with the values so far and this one. */
  readonly preview: ((value: string) => string) | undefined;
  readonly feed: SuggestionFeed | undefined;
  /** Receives the feed's suggestions while this step is shown. */
  readonly listen: (listener: () => void) => void;
  /** Replaces the previous input by this one, without a gap in which keys would go to the editor. */
  readonly show: (input: vscode.QuickInput) => void;
  readonly token: vscode.CancellationToken | undefined;
}

/**
 * Sets up the title ("Title: argument"), step number and Back button, and keeps the input open when the window loses focus.
 */
export function prepareStep(
  input: PlainInputBox | PlainQuickPick<PlainRow>,
  { title, question, step, totalSteps }: StepContext,
): void {
  input.title = plain(`${visible(title)}: ${argumentName(question)}`);
  input.ignoreFocusOut = true;
  if (totalSteps < 2) return;
  input.step = step;
  input.totalSteps = totalSteps;
}

/** The prompt: what is asked for, and whether it is required. */
export function explanation({ question }: StepContext): PlainText {
  const need = question.required ? t('required') : t('optional');
  return say`${question.description ? visible(question.description, 500) : argumentName(question)} (${need})`;
}

export const missingText = ({ question }: StepContext): PlainText => t('"{0}" is required.', argumentName(question));

const argumentName = ({ name, title }: ArgumentQuestion): string => visible(title || name, 60);

/** Resolves with the end of a step, whichever comes first. */
export function endOf(
  input: vscode.QuickInput,
  token: vscode.CancellationToken | undefined,
  listen: (end: (result: StepResult) => void) => vscode.Disposable[],
): Promise<StepResult> {
  return new Promise(resolve => {
    const listeners: vscode.Disposable[] = [];
    const end = (result: StepResult) => {
      vscode.Disposable.from(...listeners).dispose();
      resolve(result);
    };
    listeners.push(
      input.onDidHide(() => end({ kind: 'cancel' })),
      ...listen(end),
    );
    const cancelled = token?.onCancellationRequested(() => end({ kind: 'cancel' }));
    if (cancelled) listeners.push(cancelled);
    if (token?.isCancellationRequested) end({ kind: 'cancel' });
  });
}
