import vscode = require('vscode');

import type { Disposable } from '../../../base/events';
import { numberText } from '../../../base/numberText';
import { plain } from '../../../base/text';
import { WebviewPage } from '../../../editor/webviewPage';
import { t, window } from '../../../editor/window';
import {
  type FromReviewPage,
  fromReviewPage,
  type ReviewButton,
  type ToReviewPage,
} from '../core/review/reviewMessages';
import { layOut, wrap } from '../core/reviewLayout';
import { markWords } from './argumentsText';

/** How many rows are added to the page at once, so that it stays responsive. */
const ROWS = 2_000;
const COLUMNS = 100;

/** Something to be decided after all of it was shown. None of its texts is markup. */
export interface WholeText {
  /** Title of the tab. */
  readonly title: string;
  readonly question: string;
  /** The text above it. */
  readonly notes?: readonly string[];
  /** JSON, exactly as it would be sent; or a text in which hidden characters have already been made visible. */
  readonly content: { readonly json: string } | { readonly text: string };
  readonly buttons: readonly ReviewButton[];
}

export interface OpenWholePage extends Disposable {
  reveal(): void;
}

/**
 * Shows all of a JSON text on a page with our own rows, colours and sizes: workspace settings affect how editors draw texts,
 * but not this page. The buttons that allow are at its end, and count only once the end has been sent.
 * @param onClose called when the person closes the page, which is not an answer.
 */
export function openWholePage(
  { title, question, notes = [], content, buttons }: WholeText,
  onAnswer: (answer: string) => void,
  onClose: () => void,
): OpenWholePage {
  const extension = vscode.extensions.getExtension('mcp-host.mcp-host')!.extensionUri;
  const panel = window.createWebviewPanel('mcpHost.review', plain(title), vscode.ViewColumn.Active, {
    // So that the person does not have to start reading again after switching to another tab.
    retainContextWhenHidden: true,
  });
  const { rows, characters } =
    'json' in content ? layOut(content.json, COLUMNS, markWords()) : wrap(content.text, COLUMNS);
  const lines = rows.filter(({ line }) => line !== undefined).length;
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
      const facts = t(
        '{0} characters in {1} lines, shown in {2} rows',
        numberText(characters),
        numberText(lines),
        numberText(rows.length),
      );
      page.post({ type: 'start', question, notes, facts, buttons });
      addRows();
    } else if (message.type === 'more') {
      if (shown < rows.length) addRows();
    } else {
      const button = buttons.find(({ answer }) => answer === message.answer);
      if (button && (!button.allows || shown >= rows.length)) onAnswer(button.answer);
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
