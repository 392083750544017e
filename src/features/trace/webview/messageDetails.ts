import { formatDuration, formatSize } from '../../../base/numberText';
import { el } from '../../../editor/webview/page';
import type { FromTracePage, MessageAction, ToTracePage, ViewBody, ViewRow } from '../traceMessages';
import type { ViewTexts } from '../traceTexts';
import { filled, formatTime } from './cellFormats';
import { type IconName, icon, iconButton } from './pictures';

const ACTION_ICONS: Readonly<Record<MessageAction, IconName>> = {
  curl: 'terminal',
  sdk: 'code',
  send: 'send',
  test: 'test',
  select: 'select',
  compare: 'compare',
};

/** The request and its answer next to the table, with their actions. */
export class MessageDetails {
  readonly element: HTMLElement;
  readonly #content = el('div', 'content');
  #shown: string | undefined;

  constructor(
    private readonly texts: ViewTexts,
    private readonly post: (message: FromTracePage) => void,
    private readonly close: () => void,
  ) {
    this.element = el('section', { class: 'details', 'aria-label': texts.details, hidden: '' }, this.#content);
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  hide(): void {
    this.element.hidden = true;
    this.#shown = undefined;
  }

  /** @param row the request, or a message without a counterpart. */
  show(row: ViewRow, { bodies, actions }: Extract<ToTracePage, { type: 'details' }>): void {
    const same = JSON.stringify([row, bodies, actions]);
    this.element.hidden = false;
    if (same === this.#shown) return;
    const isAnother = this.#content.dataset.seq !== String(row.seq);
    this.#shown = same;
    this.#content.dataset.seq = String(row.seq);
    this.#content.replaceChildren(
      this.#head(row, actions),
      ...bodies.map(body => this.#body(body)),
      ...(row.kind === 'request' && bodies.length === 1 ? [this.#waiting(row)] : []),
    );
    if (isAnother) this.#content.scrollTop = 0;
  }

  #head(row: ViewRow, actions: readonly MessageAction[]): HTMLElement {
    const { texts } = this;
    const { method, subject, status, ms, note, caller, server, at, seq } = row;
    const facts = [
      ...(status ? [el('span', { class: 'status', 'data-status': status }, icon(status), texts[status])] : []),
      el('span', '', server),
      el('span', '', formatTime(at)),
      ...(ms === undefined ? [] : [el('span', '', formatDuration(ms, true))]),
      ...(caller === undefined ? [] : [el('span', '', filled(texts.caller, caller))]),
    ];
    const buttons = actions.map(action => {
      const act = () => this.post({ type: 'act', seq, action });
      return iconButton(ACTION_ICONS[action], texts[action], act, false);
    });
    const pin = row.isPinned ? texts.unpin : texts.pin;
    buttons.push(iconButton('pin', pin, () => this.post({ type: 'pin', seq }), false));
    const write = row.remark === undefined ? texts.remark : texts.changeRemark;
    buttons.push(iconButton('remark', write, () => this.post({ type: 'remark', seq }), false));
    return el(
      'header',
      '',
      el(
        'div',
        { class: 'title' },
        el('h2', '', method ?? texts[row.kind], ...(subject === undefined ? [] : [el('span', '', subject)])),
        iconButton('close', texts.close, this.close),
      ),
      el('div', 'facts', ...facts),
      ...(note === undefined ? [] : [el('p', { class: status === 'error' ? 'remark bad' : 'remark' }, note)]),
      ...(row.remark === undefined ? [] : [el('p', 'ownnote', icon('remark'), row.remark)]),
      el('div', 'actions', ...buttons),
    );
  }

  #body({ seq, kind, direction, text, size, isCut }: ViewBody): HTMLElement {
    const { texts } = this;
    const name = `body-${seq}`;
    return el(
      'section',
      { class: 'message', 'aria-labelledby': name },
      el(
        'div',
        { class: 'bodyhead' },
        el('span', { class: 'way', 'data-direction': direction }, icon(direction)),
        el('h3', { id: name }, texts[kind]),
        el('span', 'facts', `${texts[direction]} · ${formatSize(size)}`),
        iconButton('copy', texts.copy, () => this.post({ type: 'copy', seq })),
        iconButton('open', texts.open, () => this.post({ type: 'open', seq })),
      ),
      el('pre', '', coloured(text)),
      ...(isCut ? [el('p', 'remark', texts.cut)] : []),
    );
  }

  #waiting({ status }: ViewRow): HTMLElement {
    const { waiting, serverEnded, unanswered } = this.texts;
    const text = status === 'pending' ? waiting : status === 'ended' ? serverEnded : unanswered;
    return el('p', { class: 'waiting', 'data-status': status ?? '' }, icon(status ?? 'pending'), text);
  }
}

/** A string, with the colon if it is a name; a number or word; or punctuation. */
const TOKEN = /("(?:[^"\\]|\\.)*"?)((?<=")\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** JSON with its parts coloured, and anything else plain. */
function coloured(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [, string, colon, number, word] = match;
    const shown = string ?? number ?? word ?? '';
    const literal = number === undefined ? 'word' : 'number';
    const kind = colon !== undefined ? 'name' : string !== undefined ? 'string' : literal;
    fragment.append(text.slice(last, match.index), el('span', { class: `json-${kind}` }, shown));
    last = match.index + shown.length;
  }
  fragment.append(text.slice(last));
  return fragment;
}
