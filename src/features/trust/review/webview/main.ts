import type { FromPage, ReviewButton, ToPage } from '../../core/review/reviewMessages';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const host = acquireVsCodeApi();
const main = document.querySelector('main')!;

/** An element. Texts become text nodes: nothing is read as markup. */
function el<K extends keyof HTMLElementTagNameMap>(tag: K, name: string, ...children: (Node | string)[]) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children);
  return element;
}

function button(title: string, name: string, message: FromPage): HTMLButtonElement {
  const element = el('button', name, title);
  element.type = 'button';
  element.addEventListener('click', () => host.postMessage(message));
  return element;
}

const row = ({ line, parts }: (ToPage & { type: 'rows' })['rows'][number]) => {
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
    ...shown.map(({ answer, title, allows }) => button(title, allows ? 'allows' : '', { type: 'answer', answer })),
  );

function start({ question, notes, facts, buttons: all }: ToPage & { type: 'start' }): void {
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

addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  if (data.type === 'start') return start(data);
  rows.append(...data.rows.map(row));
  if (data.more !== undefined) below.replaceChildren(button(data.more, '', { type: 'more' }));
  else below.replaceChildren(el('p', 'end', data.end ?? ''), bar(buttons));
});
host.postMessage({ type: 'ready' });
