import vscode = require('vscode');

import { numberText } from '../../../base/numberText';
import { plainMarkdown } from '../../../base/text';
import { t, verbatim } from '../../../editor/window';
import type { PinState } from '../core/pins';
import { layOut, type MarkWords, type ReviewRow, rowsText } from '../core/reviewLayout';

/** Row width of questions in chat and dialogs. Windows are small, and text out of sight is not read. */
const COLUMNS = 70;
/**
 * The most rows that a question shows itself: more than that goes on a page (`wholePage.ts`), where it can be
 * allowed.
 */
const MAX_ROWS = 24;
/** How many rows are shown of a text that does not fit. */
const FIRST_ROWS = 8;

/** Exactly what would be sent, as text. */
export const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'null';

/** The texts of the marks in a layout. */
export const markWords = (): MarkWords => ({
  spaces: count => verbatim('{0} spaces', numberText(count)),
  characters: count => verbatim('{0} characters', numberText(count)),
});

/** The part of a JSON text that a question shows: all of it in rows of our own, or its beginning and the size of the rest. */
interface InQuestion {
  readonly text: string;
  /** If false, the question itself can't allow the call, because nothing may be allowed unseen. */
  readonly isWhole: boolean;
}

export function inQuestion(json: string): InQuestion {
  const { rows, more } = fitted(json);
  return more === 0
    ? { text: rowsText(rows), isWhole: true }
    : { text: `${rowsText(rows)}\n\n${moreText(more)}`, isWhole: false };
}

/** The same for an answer in chat, as a quotation: unlike a code block it wraps, and editor settings do not affect it. */
export function quotedJson(json: string): vscode.MarkdownString {
  const { rows, more } = fitted(json);
  const quoted = quotedRows(rowsText(rows));
  if (more === 0) return quoted;
  return new vscode.MarkdownString(`${quoted.value}**⚠ ${plainMarkdown(moreText(more))}**\n\n`);
}

/** Rows as a quotation, literally. */
export function quotedRows(rows: string): vscode.MarkdownString {
  return new vscode.MarkdownString(`\n\n> ${plainMarkdown(withSpaces(rows)).replaceAll('\n', '\n> ')}\n\n`);
}

function fitted(json: string): { rows: readonly ReviewRow[]; more: number } {
  const { rows } = layOut(json, COLUMNS, markWords());
  const shown = rows.length <= MAX_ROWS ? rows : rows.slice(0, FIRST_ROWS);
  return { rows: shown, more: rows.length - shown.length };
}

const moreText = (rows: number) => verbatim('{0} more rows are not shown here.', numberText(rows));

/** Keeps consecutive spaces, which markdown would collapse. */
export const withSpaces = (text: string) => text.replace(/ {2,}/g, gap => '\u00a0'.repeat(gap.length));

/** The news about a tool for the person before a call. */
export function newsOf(pin: PinState): string {
  if (pin === 'new') return t('This tool is new. It did not exist when you first used this server.');
  return pin === 'changed' ? t('This tool has changed since you accepted it.') : '';
}
