import type { Disposable } from '../../base/events';
import { numberText } from '../../base/numberText';
import { plain, plainMarkdown } from '../../base/text';
import { valuesOfOthers } from '../../editor/settingValues';
import { WebviewPage } from '../../editor/webviewPage';
import { t, verbatim, window } from '../../editor/window';
import {
  type FromReviewPage,
  fromReviewPage,
  layOut,
  type MarkWords,
  type ReviewButtons,
  type ReviewRow,
  rowsText,
  type ToReviewPage,
  wrap,
} from './core/reviewLayout';

import vscode = require('vscode');

/** How many rows are added to the page at once, so that it stays responsive. */
const ROWS = 2_000;
const COLUMNS = 100;

/** Something to be decided after all of it was shown. None of its texts is markup. */
export interface WholeText extends ReviewButtons {
  readonly title: string;
  readonly question: string;
  /** The text above it. */
  readonly notes?: readonly string[];
  /** JSON, exactly as it would be sent; or a text in which hidden characters have already been made visible. */
  readonly content: { readonly json: string } | { readonly text: string };
}

export interface OpenWholePage extends Disposable {
  reveal(): void;
}

/**
 * Shows all of a JSON text on a page with our own rows, colours and sizes: workspace settings affect how editors draw texts,
 * but not this page. Its buttons are always in sight; those that
 * allow count only once the end was sent, and can be pressed once it was on the screen.
 * @param onAnswer called with the title of the button. @param onClose called when the person closes the page, which is not an answer.
 */
export function openWholePage(
  { title, question, notes = [], content, allow, others }: WholeText,
  onAnswer: (answer: string) => void,
  onClose: () => void,
): OpenWholePage {
  const extension = vscode.extensions.getExtension('mcp-host.mcp-host')!.extensionUri;
  const panel = window.createWebviewPanel('mcpHost.review', plain(title), vscode.ViewColumn.Active, {
    // So that the person does not have to start reading again after switching to another tab.
    retainContextWhenHidden: true,
  });
  const rows = 'json' in content ? layOut(content.json, COLUMNS, markWords()) : wrap(content.text, COLUMNS);
  let shown = 0;
  const addRows = () => {
    const next = rows.slice(shown, shown + ROWS);
    shown += next.length;
    const left = rows.length - shown;
    const below =
      left > 0
        ? { more: t('Show the next {0} of {1} rows', numberText(Math.min(ROWS, left)), numberText(left)) }
        : { end: t('End of the text.') };
    page.post({ type: 'rows', rows: next, ...below });
  };
  const receive = (message: FromReviewPage) => {
    if (message.type === 'ready') {
      shown = 0;
      page.post({ type: 'start', question, notes, hint: t('Read to the end first.'), allow, others });
      addRows();
    } else if (message.type === 'more') {
      if (shown < rows.length) addRows();
    } else {
      const { answer } = message;
      if (allow.includes(answer) ? shown >= rows.length : others.includes(answer)) onAnswer(answer);
    }
  };
  const page = new WebviewPage<ToReviewPage, FromReviewPage>(panel, {
    extension,
    title,
    script: 'review-view.js',
    styles: ['review.css'],
    read: fromReviewPage,
    receive,
  });
  let isOurs = false;
  panel.onDidDispose(() => {
    if (!isOurs) onClose();
  });
  return {
    reveal: () => panel.reveal(),
    dispose: () => {
      isOurs = true;
      panel.dispose();
    },
  };
}

/** Shows all of a text, and resolves with the title of the button. Undefined: the page was closed, or the question withdrawn. */
export function askWhole(text: WholeText, signal?: AbortSignal): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  if (signal?.aborted) return Promise.resolve(undefined);
  const close = () => resolve(undefined);
  const page = openWholePage(text, resolve, close);
  signal?.addEventListener('abort', close);
  return promise.finally(() => {
    signal?.removeEventListener('abort', close);
    page.dispose();
  });
}

/**
 * Asks in a modal dialog in which the person can refuse, such as with "Deny"; on a page where others decide how dialogs
 * look. The first of the others has the focus, because it allows nothing. What closes the dialog decides nothing either and is
 * called "Not Now": the editor's own "Cancel" would leave open how it differs from the refusal. Undefined: not decided.
 * @param signal closes the page. A dialog can't be closed: what is answered in it afterwards must not count.
 */
export async function askDecision(
  question: string,
  detail: string,
  { allow, others }: ReviewButtons,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (isDrawnByOthers())
    return askWhole({ title: question, question, content: { text: detail }, allow, others }, signal);
  const buttons = [...others.slice(0, 1), ...allow, ...others.slice(1)];
  const later = { title: t('Not Now'), isCloseAffordance: true };
  const answer = await window.showWarningMessage(question, { modal: true, detail }, ...buttons, later);
  return typeof answer === 'string' ? answer : undefined;
}

/** Asks in a modal dialog, or on a page (see `askDecision`). The first button that allows has the focus. */
export async function askConsent(
  question: string,
  detail: string,
  { allow, others }: ReviewButtons,
): Promise<string | undefined> {
  if (isDrawnByOthers()) return askWhole({ title: question, question, content: { text: detail }, allow, others });
  return window.showInformationMessage(question, { modal: true, detail }, ...allow, ...others);
}

/** More would not fit into a dialog on a small screen, and would be hidden. */
const MAX_LINES = 26;
const LINE_LENGTH = 70;

export const fitsDialog = (text: string): boolean => drawnLines(text) <= MAX_LINES;

/** In columns. What is not Latin, Greek, Cyrillic or the like may be drawn twice as wide. */
const widthOf = (line: string) => Array.from(line).reduce((sum, letter) => sum + (letter > '\u10ff' ? 2 : 1), 0);

const drawnLines = (text: string) =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / LINE_LENGTH)), 0);

/** Row width of questions in chat and dialogs. Windows are small, and text out of sight is not read. */
const QUESTION_COLUMNS = 70;
/** The most rows that a question shows itself. More go on a page, where they can be allowed. */
const MAX_ROWS = 24;
/** How many rows are shown of a text that does not fit. */
const FIRST_ROWS = 8;

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
    ? { text: rowsText(rows), isWhole: !isDrawnByOthers() }
    : { text: `${rowsText(rows)}\n\n${moreText(more)}`, isWhole: false };
}

/** JSON as a quotation in an answer in chat: unlike a code block it wraps, and editor settings do not affect it. */
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
  const rows = layOut(json, QUESTION_COLUMNS, markWords());
  const shown = rows.length <= MAX_ROWS ? rows : rows.slice(0, FIRST_ROWS);
  return { rows: shown, more: rows.length - shown.length };
}

const moreText = (rows: number) => verbatim('{0} more rows are not shown here.', numberText(rows));

/** Keeps consecutive spaces, which markdown would collapse. */
export const withSpaces = (text: string) => text.replace(/ {2,}/g, gap => '\u00a0'.repeat(gap.length));

/** Editor settings that do not affect how a text looks. */
const HARMLESS =
  /^(tabSize|indentSize|insertSpaces|detectIndentation|trimAutoWhitespace|rulers|guides|format\w*|codeAction\w*|defaultFormatter|quickSuggestions\w*|suggest\w*|snippet\w*|tabCompletion|acceptSuggestion\w*|linkedEditing|inlayHints|codeLens|minimap|bracketPairColorization|stickyScroll|inlineSuggest)$/;
/** Colours of the parts around the editor, which many repositories set. */
const HARMLESS_COLOURS = /^(activityBar|titleBar|statusBar|sash|commandCenter|tab|editorGroup)/;

/** Whether others than the person set how questions of the editor look, which could put part of one out of sight. */
export function isDrawnByOthers(): boolean {
  const settings = vscode.workspace.getConfiguration();
  const ofOthers = (key: string) => valuesOfOthers(settings.inspect(key));
  const colours = ofOthers('workbench.colorCustomizations').flatMap(leaves);
  return (
    colours.some(name => !HARMLESS_COLOURS.test(name)) ||
    ['chat.fontFamily', 'chat.fontSize'].some(key => ofOthers(key).length > 0)
  );
}

/** Whether a workspace changes how an editor draws text, which could put part of it out of sight. */
export function isDrawnByWorkspace(uri: vscode.Uri): boolean {
  const settings = vscode.workspace.getConfiguration(undefined, { uri, languageId: 'json' });
  const ofWorkspace = (key: string) => {
    const found = settings.inspect(key);
    const ofLanguage = [found?.workspaceLanguageValue, found?.workspaceFolderLanguageValue];
    return [...valuesOfOthers(found), ...ofLanguage.filter(value => value !== undefined)];
  };
  const names = (key: string) => ofWorkspace(key).flatMap(leaves);
  return (
    names('editor').some(name => !HARMLESS.test(name)) ||
    isDrawnByOthers() ||
    ['files.associations', 'workbench.editorAssociations', 'workbench.editor.customLabels'].some(
      key => ofWorkspace(key).length > 0,
    )
  );
}

/** The names of the settings in a section; those for a single theme are in a nested object. */
function leaves(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name.startsWith('[') ? leaves(inner) : [name]));
}
