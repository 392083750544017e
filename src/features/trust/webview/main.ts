import { button, connect, el } from '../../../editor/webview/page';
import type { FromReviewPage, ReviewButton, ToReviewPage } from '../core/reviewLayout';

const editor = connect<ToReviewPage, FromReviewPage>(receive);
const main = document.querySelector('main')!;

const row = ({ line, parts }: (ToReviewPage & { type: 'rows' })['rows'][number]) => {
  const number = el('span', 'number', line === undefined ? '↪' : String(line));
  const text = el('span', 'text', ...parts.map(({ text, isMark }) => (isMark ? el('mark', '', text) : text)));
  return el('div', line === undefined ? 'row continued' : 'row', number, text);
};

const rows = el('div', 'rows');
const below = el('div', 'below');
let buttons: readonly ReviewButton[] = [];

const bar = (shown: readonly ReviewButton[]) =>
  el(
    'div',
    'buttons',
    ...shown.map(({ answer, title, allows }) =>
      button(title, () => editor.postMessage({ type: 'answer', answer }), allows ? 'allows' : ''),
    ),
  );

function start({ question, notes, facts, buttons: all }: ToReviewPage & { type: 'start' }): void {
  buttons = all;
  rows.replaceChildren();
  below.replaceChildren();
  main.replaceChildren(
    el('h1', '', question),
    ...notes.map(note => el('p', '', note)),
    el('p', 'facts', facts),
    bar(all.filter(({ allows }) => !allows)),
    rows,
    below,
  );
}

function receive(message: ToReviewPage): void {
  if (message.type === 'start') {
    start(message);
    return;
  }
  const { more, end = '' } = message;
  rows.append(...message.rows.map(row));
  if (more !== undefined) below.replaceChildren(button(more, () => editor.postMessage({ type: 'more' })));
  else below.replaceChildren(el('p', 'end', end), bar(buttons));
}

editor.postMessage({ type: 'ready' });
