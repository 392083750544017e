import vscode = require('vscode');

import { numberText } from '../base/numberText';
import { type PlainText, plain, type RowText } from '../base/text';

const { l10n } = vscode;

/** Our own texts have no links, so that any in the result comes from a value and is broken. Icons are ours and stay. */
const unlinked = (text: string) => text.replaceAll('](', '] (') as PlainText;

/** A text of ours in the person's language. The values put into it are not ours: any markup in them is broken. */
export function t(text: string, ...values: (string | number)[]): PlainText {
  return unlinked(verbatim(text, ...values.map(value => (typeof value === 'string' ? plain(value) : value))));
}

/** A text of ours in the person's language, with values as they are: for places where nothing is markup. */
export function verbatim(text: string, ...values: (string | number)[]): string {
  // The editor would give fractions a point in every language. Whole numbers stay: they may be ports or years.
  const shown = values.map(value =>
    typeof value === 'number' && !Number.isInteger(value) ? numberText(value) : value,
  );
  return l10n.t(text, ...shown);
}

/** Like `t` for text that needs no translation: say`$(server) ${name}`. */
export function say(texts: TemplateStringsArray, ...values: (string | number)[]): PlainText {
  return unlinked(String.raw({ raw: texts }, ...values.map(value => plain(String(value)))));
}

/** Joins texts that are plain already, leaving out empty ones. */
export function joined<T extends RowText>(texts: readonly (T | '' | false | undefined)[], separator = ' '): T {
  return unlinked(texts.filter(Boolean).join(separator)) as RowText as T;
}

/** `T` with members `K` that take only text without markup. */
type Plain<T, K extends keyof T, Text = PlainText> = Omit<T, K> & {
  [P in keyof Pick<T, K>]: Exclude<T[P], string> | Text | '';
};

export type PlainInputBox = Plain<vscode.InputBox, 'placeholder' | 'prompt' | 'title' | 'validationMessage'>;
export type PlainRow = Plain<vscode.QuickPickItem, 'description' | 'detail' | 'label', RowText>;
export type PlainQuickPick<T extends PlainRow> = Plain<vscode.QuickPick<T>, 'placeholder' | 'title'>;
type PlainStatusBarItem = Plain<vscode.StatusBarItem, 'text' | 'tooltip'>;
type PickOptions = Plain<vscode.QuickPickOptions, 'placeHolder' | 'title'>;
type InputOptions = Plain<vscode.InputBoxOptions, 'placeHolder' | 'prompt' | 'title'>;
export type PlainStep = Plain<{ message?: string; increment?: number }, 'message'>;

interface ShowMessage {
  <T extends string>(message: PlainText, ...actions: T[]): Thenable<T | undefined>;
  /** A modal dialog, which shows its texts literally. */
  <T extends string>(
    message: string,
    options: vscode.MessageOptions & { modal: true },
    ...actions: T[]
  ): Thenable<T | undefined>;
  (
    message: string,
    options: vscode.MessageOptions & { modal: true },
    ...actions: (string | vscode.MessageItem)[]
  ): Thenable<string | vscode.MessageItem | undefined>;
}

/** The part of the editor's window that interprets the texts that it is given. */
interface PlainWindow {
  readonly showInformationMessage: ShowMessage;
  readonly showWarningMessage: ShowMessage;
  readonly showErrorMessage: ShowMessage;
  withProgress<R>(
    options: Plain<vscode.ProgressOptions, 'title'>,
    task: (progress: vscode.Progress<PlainStep>, token: vscode.CancellationToken) => Thenable<R>,
  ): Thenable<R>;
  showInputBox(options: InputOptions, token?: vscode.CancellationToken): Thenable<string | undefined>;
  createInputBox(): PlainInputBox;
  showQuickPick<T extends PlainRow>(
    rows: readonly T[] | Thenable<readonly T[]>,
    options: PickOptions & { canPickMany: true },
    token?: vscode.CancellationToken,
  ): Thenable<T[] | undefined>;
  showQuickPick<T extends PlainRow>(
    rows: readonly T[] | Thenable<readonly T[]>,
    options?: PickOptions,
    token?: vscode.CancellationToken,
  ): Thenable<T | undefined>;
  showQuickPick<T extends RowText>(rows: readonly T[], options?: PickOptions): Thenable<T | undefined>;
  createQuickPick<T extends PlainRow>(): PlainQuickPick<T>;
  createStatusBarItem(id: string, alignment?: vscode.StatusBarAlignment, priority?: number): PlainStatusBarItem;
  setStatusBarMessage(text: PlainText, hideAfterMs?: number): vscode.Disposable;
  setStatusBarMessage(text: PlainText, hideWhenDone: Thenable<unknown>): vscode.Disposable;
  createOutputChannel(name: PlainText, options: { log: true }): vscode.LogOutputChannel;
  createOutputChannel(name: PlainText, languageId?: string): vscode.OutputChannel;
  createWebviewPanel(
    viewType: string,
    title: PlainText,
    showOptions: vscode.ViewColumn | { readonly viewColumn: vscode.ViewColumn; readonly preserveFocus?: boolean },
    options?: vscode.WebviewPanelOptions & vscode.WebviewOptions,
  ): vscode.WebviewPanel;
}

/** The editor's window for texts that `plain` or `t` made safe. Lint forbids any other way. */
export const window = vscode.window as unknown as PlainWindow;
