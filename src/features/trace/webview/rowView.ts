import { formatDuration, formatSize } from '../../../base/numberText';
import { el, replaceText } from '../../../editor/webview/page';
import type { ViewRow } from '../traceMessages';
import type { ViewTexts } from '../traceTexts';
import { barOf, filled, formatTime, HUES, type ServerMarks } from './cellFormats';
import { type IconName, icon, plot } from './pictures';
import { hasFailed } from './rowFilter';
import { type Axis, drawingOf, type Family, spokenTiming } from './timeline';

export const COLUMNS = [
  'time',
  'direction',
  'server',
  'kind',
  'method',
  'status',
  'duration',
  'size',
  'timeline',
] as const;

/** The part of a method that adds nothing to the kind. */
const PREFIX = 'notifications/';

/** A reusable row element. Only differences are written to the DOM, because rows fly by when a person scrolls. */
export class RowView {
  readonly element = el('div', { role: 'row', class: 'row' });
  readonly #cells = cellsOf(COLUMNS);
  readonly #dot = el('span');
  readonly #prefix = el('span', 'prefix');
  readonly #name = el('span');
  readonly #names = el('span', 'name', this.#prefix, this.#name);
  readonly #pin = el('span', 'pin', icon('pin'));
  readonly #subject = el('span', 'subject');
  readonly #caller = el('span', { class: 'caller', hidden: '' });
  readonly #remark = el('span', { class: 'ownnote', hidden: '' });
  readonly #note = el('span', 'note');
  readonly #barInner = el('span', 'bar-inner');
  readonly #bar = el('span', 'bar', this.#barInner);
  readonly #server = el('span', 'text');
  readonly #status = el('span', 'shown');
  readonly #duration = el('span');
  readonly #plot = plot(['span', 'waits', 'ticks']);
  readonly #timing = el('span', 'hidden');
  readonly #way = el('span', 'hidden');
  #wayIcon = icon('sent');
  #statusIcon = icon('ok');
  #row: ViewRow | undefined;
  #placed: { readonly row: ViewRow; readonly family: Family } | undefined;

  constructor(
    private readonly texts: ViewTexts,
    private readonly marks: ServerMarks,
  ) {
    const { direction, server, method, status, duration, timeline } = this.#cells;
    direction.append(this.#wayIcon, this.#way);
    server.append(this.#dot, this.#server);
    this.#pin.append(el('span', 'hidden', texts.pinned));
    method.append(this.#pin, this.#names, this.#subject, this.#remark, this.#caller, this.#note);
    status.append(this.#statusIcon, this.#status);
    duration.append(this.#bar, this.#duration);
    timeline.append(this.#plot.element, this.#timing);
    this.element.append(...COLUMNS.map(column => this.#cells[column]));
  }

  /** @param index among the rows that are shown. */
  show(row: ViewRow, index: number, rowHeight: number, marked: { isSelected: boolean; isPartner: boolean }): void {
    const { isSelected, isPartner } = marked;
    const { element } = this;
    element.setAttribute('aria-rowindex', String(index + 2));
    element.setAttribute('aria-selected', String(isSelected));
    element.classList.toggle('partner', isPartner);
    element.classList.toggle('odd', index % 2 === 1);
    element.style.transform = `translateY(${index * rowHeight}px)`;
    if (row !== this.#row) this.#fill(row, this.#row);
    this.#row = row;
  }

  place(row: ViewRow, family: Family, axis: Axis): void {
    const { bar, waits, ticks } = drawingOf(row, family, axis);
    this.#plot.draw({ span: bar, waits, ticks });
    if (row === this.#placed?.row && family === this.#placed.family) return;
    this.#placed = { row, family };
    const { timeline, method } = this.#cells;
    method.style.setProperty('--depth', String(family.depth));
    const timing = spokenTiming(this.texts, row, family);
    replaceText(this.#timing, timing);
    timeline.title = timing;
    timeline.dataset.status = row.status ?? '';
    timeline.dataset.direction = row.direction;
  }

  #fill(row: ViewRow, before: ViewRow | undefined): void {
    const { texts } = this;
    const { time, direction, server, kind, method, status, size } = this.#cells;
    const { method: full = '', subject = '', note = '', caller, remark, ms, answerSize } = row;
    this.element.id = `row-${row.seq}`;
    this.element.classList.toggle('failed', hasFailed(row));
    this.element.classList.toggle('quiet', row.kind === 'notification' || row.status === 'unsupported');
    replaceText(time, formatTime(row.at));
    replaceText(kind, texts[row.kind]);
    replaceText(size, [row.size, ...(answerSize === undefined ? [] : [answerSize])].map(formatSize).join(' → '));
    if (row.server !== before?.server) {
      const mark = this.marks.of(row.server);
      this.#dot.className = `dot hue-${mark % HUES}`;
      this.#dot.classList.toggle('ring', mark >= HUES);
      server.title = row.server;
      replaceText(this.#server, row.server);
    }
    if (row.direction !== before?.direction) {
      this.#wayIcon = replace(this.#wayIcon, row.direction);
      replaceText(this.#way, texts[row.direction]);
      direction.title = texts[row.direction];
      direction.dataset.direction = row.direction;
    }
    const prefix = full.startsWith(PREFIX) ? PREFIX : '';
    this.#pin.hidden = row.isPinned !== true;
    replaceText(this.#prefix, prefix);
    replaceText(this.#name, full.slice(prefix.length));
    replaceText(this.#subject, subject);
    replaceText(this.#note, note);
    this.#subject.hidden = !subject;
    const called = caller === undefined ? '' : filled(texts.caller, caller);
    if (caller !== before?.caller) labelled(this.#caller, 'caller', caller, called);
    const written = remark === undefined ? '' : filled(texts.remarkLabel, remark);
    if (remark !== before?.remark) labelled(this.#remark, 'remark', remark, written);
    this.#note.hidden = !note;
    method.title = [full, subject, written, called, note].filter(Boolean).join('\n');
    if (row.status !== before?.status || !before) {
      this.#statusIcon = replace(this.#statusIcon, row.status ?? 'ok');
      this.#statusIcon.toggleAttribute('hidden', row.status === undefined);
      status.dataset.status = row.status ?? '';
      replaceText(this.#status, row.status ? texts[row.status] : '');
    }
    replaceText(this.#duration, ms === undefined ? '' : formatDuration(ms, true));
    this.#bar.hidden = ms === undefined;
    this.#barInner.style.width = `${ms === undefined ? 0 : Math.round(barOf(ms) * 100)}%`;
  }
}

/** A text with an icon, which screen readers hear as its meaning. */
function labelled(element: HTMLElement, name: IconName, text: string | undefined, meaning: string): void {
  element.hidden = text === undefined;
  const shown = el('span', { class: 'shown', 'aria-hidden': 'true' }, text ?? '');
  element.replaceChildren(...(text === undefined ? [] : [icon(name), shown, el('span', 'hidden', meaning)]));
}

function cellsOf<C extends string>(columns: readonly C[]): Record<C, HTMLElement> {
  const cell = (column: C) => [column, el('div', { role: 'gridcell', class: `cell ${column}` })];
  return Object.fromEntries(columns.map(cell));
}

function replace(old: SVGSVGElement, name: IconName): SVGSVGElement {
  const now = icon(name);
  old.replaceWith(now);
  return now;
}
