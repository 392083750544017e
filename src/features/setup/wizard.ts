import vscode = require('vscode');

import { plain } from '../../base/text';
import { type PlainInputBox, type PlainQuickPick, type PlainRow, window } from '../../editor/window';

/**
 * How a step ended: go on, go back, skip it in whichever direction the person is going, or jump to the step with that index.
 * Undefined: everything was cancelled.
 */
export type StepEnd = 'next' | 'back' | 'skip' | number | undefined;
type WizardStep = (canGoBack: boolean) => Promise<StepEnd>;

/** The person pressed Back. */
export const BACK = Symbol('back');
export type WizardAnswer<T> = T | typeof BACK | undefined;

/** Carries out steps with Back. A sequence can itself be a step: going back from its first step ends it with `back`. */
export async function runSteps(steps: readonly WizardStep[], canGoBack = false): Promise<StepEnd> {
  let at = 0;
  let direction = 1;
  while (at < steps.length) {
    const end = await steps[at]!(canGoBack || at > 0);
    if (end === undefined) return undefined;
    if (end === 'next') direction = 1;
    if (end === 'back') direction = -1;
    at = typeof end === 'number' ? end : at + direction;
    if (at < 0) return 'back';
  }
  return 'next';
}

interface PickStepOptions<T extends PlainRow> {
  title: string;
  placeholder: string;
  items: readonly T[];
  canGoBack?: boolean;
  /** Called when a button of a row is pressed; the list closes with what it returns. */
  onButton?: (item: T) => T;
}

/** Asks for one row. Separators cannot be chosen. */
export function pickOne<T extends PlainRow>(options: PickStepOptions<T>): Promise<WizardAnswer<T>> {
  const pick = window.createQuickPick<T>();
  prepare(pick, options.title, options.canGoBack);
  pick.placeholder = plain(options.placeholder);
  pick.items = options.items;
  pick.matchOnDescription = true;
  return ended(pick, end => [
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item) end(item);
    }),
    pick.onDidTriggerItemButton(({ item }) => {
      if (options.onButton) end(options.onButton(item));
    }),
  ]);
}

/** Asks for any number of rows; those that are `picked` are checked initially. */
export async function pickMany<T extends PlainRow>(options: PickStepOptions<T>): Promise<WizardAnswer<readonly T[]>> {
  const answer = await pickManyOr(options);
  return answer === OTHER ? undefined : answer;
}

/** The person pressed the button beside the title. */
export const OTHER = Symbol('other');

/** The same. @param other a button beside the title, for something else than these rows. */
export function pickManyOr<T extends PlainRow>(
  options: PickStepOptions<T>,
  other?: vscode.QuickInputButton,
): Promise<WizardAnswer<readonly T[] | typeof OTHER>> {
  const pick = window.createQuickPick<T>();
  prepare(pick, options.title, options.canGoBack);
  if (other) pick.buttons = [...pick.buttons, other];
  pick.placeholder = plain(options.placeholder);
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.items = options.items;
  pick.selectedItems = options.items.filter(({ picked }) => picked);
  return ended(pick, end => [
    pick.onDidAccept(() => end(pick.selectedItems)),
    pick.onDidTriggerButton(button => {
      if (button === other) end(OTHER);
    }),
  ]);
}

interface TextOptions {
  title: string;
  prompt: string;
  value?: string;
  placeholder?: string;
  password?: boolean;
  canGoBack?: boolean;
  /** The problem with a value, which then cannot be accepted. */
  problem?: (value: string) => string | undefined;
}

/** Asks for a line of text. */
export function askText(options: TextOptions): Promise<WizardAnswer<string>> {
  const input = window.createInputBox();
  prepare(input, options.title, options.canGoBack);
  input.prompt = plain(options.prompt);
  input.value = options.value ?? '';
  input.placeholder = plain(options.placeholder ?? '');
  input.password = options.password ?? false;
  return ended(input, end => [
    input.onDidChangeValue(() => {
      input.validationMessage = undefined;
    }),
    input.onDidAccept(() => {
      const problem = options.problem?.(input.value);
      if (problem === undefined) end(input.value);
      else input.validationMessage = plain(problem);
    }),
  ]);
}

export function prepare(input: PlainQuickPick<PlainRow> | PlainInputBox, title: string, back = false) {
  input.title = plain(title);
  // What was typed is not lost by switching to another window.
  input.ignoreFocusOut = true;
  if (back) input.buttons = [vscode.QuickInputButtons.Back];
}

/** Shows an input, resolves with whatever ends it first, and disposes it. */
export function ended<T>(
  input: PlainQuickPick<PlainRow> | PlainInputBox,
  listen: (end: (answer: WizardAnswer<T>) => void) => vscode.Disposable[],
): Promise<WizardAnswer<T>> {
  return new Promise(resolve => {
    const listeners: vscode.Disposable[] = [];
    const end = (answer: WizardAnswer<T>) => {
      vscode.Disposable.from(...listeners).dispose();
      resolve(answer);
      input.dispose();
    };
    listeners.push(
      input.onDidHide(() => end(undefined)),
      input.onDidTriggerButton(button => {
        if (button === vscode.QuickInputButtons.Back) end(BACK);
      }),
      ...listen(end),
    );
    input.show();
  });
}
