import * as vscode from 'vscode';
import { visibleLines } from '../../host/text';
import { plainMarkdown } from '../markdown';

const { t } = vscode.l10n;
/** Longer ones would make the answer of a chat slow. */
const MAX_IN_ANSWER = 20_000;

/** Arguments exactly as they would be sent, all of them, with hidden characters made visible. */
export function argumentsText(value: unknown): string {
  return visibleLines(JSON.stringify(value, null, 2) ?? 'undefined', Number.POSITIVE_INFINITY);
}

/** Whether `codeBlock` shows all of a text. */
export const fitsAnswer = (text: string): boolean => text.length <= MAX_IN_ANSWER;

/** Arguments as a fenced block, which says how much of them it leaves out. */
export function codeBlock(value: unknown): vscode.MarkdownString {
  const text = argumentsText(value);
  const { value: block } = new vscode.MarkdownString().appendCodeblock(text.slice(0, MAX_IN_ANSWER), 'json');
  const more = fitsAnswer(text) ? '' : t('{0} more characters are not shown here.', text.length - MAX_IN_ANSWER);
  return new vscode.MarkdownString(more ? `${block}\n\n**⚠ ${plainMarkdown(more)}**\n\n` : block);
}
