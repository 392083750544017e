import vscode = require('vscode');

import type { Disposable } from '../../../base/events';
import { plain } from '../../../base/text';
import { webviewHtml, webviewRoots } from '../../../editor/webview/webviewHtml';
import { t, window } from '../../../editor/window';
import { markWords } from '../argumentsText';
import { fromPage, type ReviewButton, type ToPage } from '../core/review/messages';
import { layOut, wrap } from '../core/reviewLayout';

/** So many rows are added to the page at once: it has to stay quick. */
const ROWS = 2_000;
const COLUMNS = 100;

/** Something that is decided on after all of it was shown. None of its texts is markup. */
export interface WholeText {
  /** Of the tab. */
  readonly title: string;
  readonly question: string;
  /** What is said before it. */
  readonly notes?: readonly string[];
  /** JSON, exactly as it would be sent; or a text in which all that can't be seen is shown already. */
  readonly content: { readonly json: string } | { readonly text: string };
  readonly buttons: readonly ReviewButton[];
}

export interface OpenWholePage extends Disposable {
  reveal(): void;
}

/**
 * Shows all of a JSON text on a page whose rows, colours and sizes are ours: settings of a workspace change how editors draw
 * texts, but not this. The buttons that allow stand at its end, and count only once that is there.
 * @param onClose the page was closed by the person, which answers nothing.
 */
export function openWholePage(
  { title, question, notes = [], content, buttons }: WholeText,
  onAnswer: (answer: string) => void,
  onClose: () => void,
): OpenWholePage {
  const extension = vscode.extensions.getExtension('mcp-host.mcp-host')!.extensionUri;
  const panel = window.createWebviewPanel('mcpHost.review', plain(title), vscode.ViewColumn.Active, {
    enableScripts: true,
    localResourceRoots: webviewRoots(extension),
    // Nobody should have to read it from the beginning after a look at something else.
    retainContextWhenHidden: true,
  });
  const { rows, characters } =
    'json' in content ? layOut(content.json, COLUMNS, markWords()) : wrap(content.text, COLUMNS);
  const lines = rows.filter(({ line }) => line !== undefined).length;
  let shown = 0;
  const post = (message: ToPage) => void panel.webview.postMessage(message);
  const addRows = () => {
    const next = rows.slice(shown, shown + ROWS);
    shown += next.length;
    const left = rows.length - shown;
    const below =
      left > 0
        ? { more: t('Show the next {0} of {1} rows', Math.min(ROWS, left).toLocaleString(), left.toLocaleString()) }
        : { end: t('This is the end: there is nothing else.') };
    post({ type: 'rows', rows: next, ...below });
  };
  panel.webview.onDidReceiveMessage((message: unknown) => {
    const said = fromPage(message);
    if (said?.type === 'ready') {
      shown = 0;
      const facts = t(
        '{0} characters in {1} lines, shown in {2} rows',
        characters.toLocaleString(),
        lines.toLocaleString(),
        rows.length.toLocaleString(),
      );
      post({ type: 'start', question, notes, facts, buttons });
      addRows();
    } else if (said?.type === 'more') {
      if (shown < rows.length) addRows();
    } else if (said) {
      const button = buttons.find(({ answer }) => answer === said.answer);
      if (button && (!button.allows || shown >= rows.length)) onAnswer(button.answer);
    }
  });
  let isOurs = false;
  panel.onDidDispose(() => {
    if (!isOurs) onClose();
  });
  panel.webview.html = webviewHtml(panel.webview, extension, { title, script: 'review-view.js', style: 'review.css' });
  return {
    reveal: () => panel.reveal(),
    dispose: () => {
      isOurs = true;
      panel.dispose();
    },
  };
}
