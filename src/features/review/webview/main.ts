import { button, connect, el } from '../../../editor/webview/page';
import type { FromReviewPage, ReviewButtons, ToReviewPage } from '../core/reviewLayout';

const editor = connect<ToReviewPage, FromReviewPage>(receive);
const main = document.querySelector('main')!;

const row = ({ line, parts }: (ToReviewPage & { type: 'rows' })['rows'][number]) => {
  const number = el('span', 'number', line === undefined ? '↪' : String(line));
  const text = el('span', 'text', ...parts.map(({ text, isMark }) => (isMark ? el('mark', '', text) : text)));
  return el('div', line === undefined ? 'row continued' : 'row', number, text);
};

const rows = el('div', 'rows');
const below = el('div', 'below');
const bar = el('div', 'buttons');

/** Those that allow wait for the end of the text. */
function drawButtons({ allow, others }: ReviewButtons, hint: string): void {
  const drawn = (answer: string, look = '') =>
    button(answer, () => editor.postMessage({ type: 'answer', answer }), look);
  const waiting = allow.map(title => Object.assign(drawn(title, 'allows'), { disabled: true, title: hint }));
  bar.replaceChildren(...others.map(title => drawn(title)), ...waiting, el('span', 'hint', hint));
}

/** The buttons themselves cover the last pixels of the page. */
const options = { rootMargin: '0px 0px -50px' };
const endSeen = new IntersectionObserver(entries => {
  if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
  for (const made of bar.querySelectorAll('button')) {
    made.disabled = false;
    made.title = '';
  }
  bar.querySelector('.hint')?.remove();
}, options);

function start({ question, notes, hint, ...buttons }: ToReviewPage & { type: 'start' }): void {
  endSeen.disconnect();
  rows.replaceChildren();
  below.replaceChildren();
  drawButtons(buttons, hint);
  main.replaceChildren(el('h1', '', question), ...notes.map(note => el('p', '', note)), rows, below, bar);
}

function receive(message: ToReviewPage): void {
  if (message.type === 'start') {
    start(message);
    return;
  }
  const { more, end = '' } = message;
  rows.append(...message.rows.map(row));
  if (more !== undefined) {
    below.replaceChildren(button(more, () => editor.postMessage({ type: 'more' })));
    return;
  }
  const last = el('p', 'end', end);
  below.replaceChildren(last);
  endSeen.observe(last);
}

editor.postMessage({ type: 'ready' });
