import { formatDuration } from '../../../base/numberText';
import { firstNotBefore } from '../../../base/sorted';
import { el } from '../../../editor/webview/page';
import type { ViewRow } from '../traceMessages';
import type { ViewTexts } from '../traceTexts';
import { formatTime, ServerMarks } from './cellFormats';
import { plot } from './pictures';
import { COLUMNS, RowView } from './rowView';
import { AXIS, type Axis, axisOf, type Families } from './timeline';

const ROW_HEIGHT = 24;
/** How many rows are drawn beyond the edges, so that a quick scroll shows no gap. */
const BEYOND = 8;

interface TableListeners {
  /** The person chose a row; `opened`: to see its details. */
  selected(row: ViewRow, opened: boolean): void;
  /** The person wants to write on a row. */
  remark(row: ViewRow): void;
  /** The end scrolled into or out of view. */
  atEnd(isAtEnd: boolean): void;
}

/** A grid that draws only its visible rows. It has the focus and names the active row (`aria-activedescendant`). */
export class Table {
  readonly element: HTMLElement;
  readonly #body = el('div', { role: 'rowgroup', class: 'body' });
  readonly #marks = new ServerMarks();
  readonly #drawn = new Map<number, RowView>();
  readonly #spare: RowView[] = [];
  /** The scale of the waterfall, at quarters of it. */
  readonly #scale = [0, 1, 2, 3].map(() => el('span'));
  readonly #pauses = plot(['pauses']);
  #rows: readonly ViewRow[] = [];
  #selected: ViewRow | undefined;
  #frame = 0;
  #isAtEnd = true;
  #isWaterfall = false;

  constructor(
    private readonly texts: ViewTexts,
    private readonly listeners: TableListeners,
    private readonly families: Families,
  ) {
    const head = el('div', { role: 'row', class: 'head', 'aria-rowindex': '1' });
    for (const column of COLUMNS) {
      const isHidden = column === 'direction' || column === 'timeline';
      const label = el('span', isHidden ? 'hidden' : '', texts[column]);
      const scale =
        column === 'timeline'
          ? [el('span', { class: 'scale', 'aria-hidden': 'true' }, ...this.#scale), this.#pauses.element]
          : [];
      head.append(el('div', { role: 'columnheader', class: `cell ${column}` }, label, ...scale));
    }
    this.element = el(
      'div',
      {
        role: 'grid',
        class: 'grid',
        tabindex: '0',
        'aria-label': texts.table,
        'aria-keyshortcuts': 'N',
        'aria-colcount': String(COLUMNS.length),
      },
      el('div', { role: 'rowgroup', class: 'heads' }, head),
      this.#body,
    );
    this.element.addEventListener('scroll', () => this.#onScroll());
    this.element.addEventListener('keydown', event => this.#onKey(event));
    this.#body.addEventListener('click', event => this.#onClick(event));
    new ResizeObserver(() => this.#schedule()).observe(this.element);
  }

  get selected(): ViewRow | undefined {
    return this.#selected;
  }

  /** @param rows in the order of their numbers. @param follow keeps the end in view; otherwise the visible rows stay in place. */
  show(rows: readonly ViewRow[], follow: boolean): void {
    const before = this.#firstInSight;
    const top = this.#rows[before];
    this.#rows = rows;
    const { element } = this;
    element.setAttribute('aria-rowcount', String(rows.length + 1));
    this.#body.style.height = `${rows.length * ROW_HEIGHT}px`;
    if (this.#selected) this.#selected = rows[this.#indexOf(this.#selected.seq) ?? -1] ?? this.#selected;
    const moved = top && (this.#indexOf(top.seq) ?? before) - before;
    if (moved) this.#move(moved);
    if (follow) element.scrollTop = element.scrollHeight;
    else if (moved) element.scrollTop += moved * ROW_HEIGHT;
    this.#draw();
  }

  /** Rows with their place in time, or with sizes. */
  showWaterfall(isWaterfall: boolean): void {
    this.#isWaterfall = isWaterfall;
    this.element.classList.toggle('waterfall', isWaterfall);
    this.#draw();
  }

  /** Whether the row is among those that are shown. */
  has(seq: number): boolean {
    return this.#indexOf(seq) !== undefined;
  }

  /** Rows are in the order of their numbers. A map would be made anew with each portion. */
  #indexOf(seq: number): number | undefined {
    const index = firstNotBefore(this.#rows, row => row.seq < seq);
    return this.#rows[index]?.seq === seq ? index : undefined;
  }

  select(seq: number | undefined): void {
    const index = seq === undefined ? undefined : this.#indexOf(seq);
    this.#selected = index === undefined ? undefined : this.#rows[index];
    if (index !== undefined) this.#bringIntoSight(index);
    this.#draw();
  }

  get #firstInSight(): number {
    return Math.floor(this.element.scrollTop / ROW_HEIGHT);
  }

  get #page(): number {
    return Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 1);
  }

  #choose(index: number, opened = false): void {
    const row = this.#rows[Math.min(this.#rows.length - 1, Math.max(0, index))];
    if (!row) return;
    this.select(row.seq);
    this.listeners.selected(row, opened);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.#selected ? (this.#indexOf(this.#selected.seq) ?? -1) : -1;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? this.#rows.length - 1 : at - 1,
      PageDown: at + this.#page,
      PageUp: at - this.#page,
      Home: 0,
      End: this.#rows.length - 1,
    };
    const next = steps[event.key] ?? this.#relative(event.key);
    if (next !== undefined) this.#choose(next);
    else if (event.key === 'Enter' && at >= 0) this.#choose(at, true);
    else if (event.key.toLowerCase() === 'n' && at >= 0) this.listeners.remark(this.#rows[at]!);
    else return;
    event.preventDefault();
  }

  /** With Arrow Left the request that a row is part of; with Arrow Right the first that is part of it. */
  #relative(key: string): number | undefined {
    const selected = this.#selected;
    if (!selected || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return undefined;
    const { parent, requests, notifications } = this.families.of(selected);
    const relatives = key === 'ArrowLeft' ? [parent] : [...requests, ...notifications];
    return relatives.map(row => row && this.#indexOf(row.seq)).find(index => index !== undefined);
  }

  #onClick({ target }: MouseEvent): void {
    const row = (target as Element).closest('.row');
    const index = Number(row?.getAttribute('aria-rowindex') ?? Number.NaN) - 2;
    if (Number.isInteger(index)) this.#choose(index);
  }

  #onScroll(): void {
    this.#schedule();
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    const isAtEnd = scrollTop + clientHeight >= scrollHeight - ROW_HEIGHT / 2;
    if (isAtEnd === this.#isAtEnd) return;
    this.#isAtEnd = isAtEnd;
    this.listeners.atEnd(isAtEnd);
  }

  #bringIntoSight(index: number): void {
    const { element } = this;
    // The header covers the place of the first row.
    const height = element.clientHeight - ROW_HEIGHT;
    const top = index * ROW_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW_HEIGHT > element.scrollTop + height) element.scrollTop = top + ROW_HEIGHT - height;
  }

  #schedule(): void {
    this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    // Read before anything is written: after that, each would have the browser lay out everything.
    const [top, page, height] = [this.#firstInSight, this.#page, this.element.clientHeight];
    const first = Math.max(0, top - BEYOND);
    const last = Math.min(this.#rows.length, top + page + 2 + BEYOND);
    const outside = [...this.#drawn].filter(([index]) => index < first || index >= last);
    if (outside.length === this.#drawn.size) this.#jump(first, last);
    else {
      for (const [index, view] of outside) this.#release(index, view);
    }
    const inSight = this.#isWaterfall ? this.#rows.slice(top, top + page + 1) : [];
    const axis = this.#isWaterfall ? axisOf(inSight) : undefined;
    this.element.style.setProperty('--room', `${height - ROW_HEIGHT}px`);
    this.#pauses.draw({ pauses: axis?.pauses.map(at => `M${at} 0V24`).join('') ?? '' });
    for (const [quarter, mark] of this.#scale.entries()) {
      mark.textContent = axis && inSight.length > 0 ? scaleText(axis, (AXIS * quarter) / 4) : '';
    }
    // In reading order, moving only the elements that are new.
    let before: Element | null = this.#body.firstElementChild;
    for (let index = first; index < last; index++) {
      let view = this.#drawn.get(index);
      if (view) before = view.element.nextElementSibling;
      else {
        view = this.#spare.pop() ?? new RowView(this.texts, this.#marks);
        this.#drawn.set(index, view);
        this.#body.insertBefore(view.element, before);
      }
      const row = this.#rows[index]!;
      const selected = this.#selected;
      view.show(row, index, ROW_HEIGHT, {
        isSelected: row.seq === selected?.seq,
        isPartner: selected !== undefined && isRelated(row, selected),
      });
      if (axis) view.place(row, this.families.of(row), axis);
    }
    const at = this.#selected && this.#indexOf(this.#selected.seq);
    if (at !== undefined && this.#drawn.has(at)) {
      this.element.setAttribute('aria-activedescendant', `row-${this.#selected!.seq}`);
    } else this.element.removeAttribute('aria-activedescendant');
  }

  /** The rows have moved by so many places, with their elements. */
  #move(by: number): void {
    const moved = [...this.#drawn].map(([index, view]) => [index + by, view] as const);
    this.#drawn.clear();
    for (const [index, view] of moved) this.#drawn.set(index, view);
  }

  /** No row stays in the document, so their elements are reused in place. */
  #jump(first: number, last: number): void {
    const inOrder = [...this.#drawn].sort(([one], [other]) => one - other);
    this.#drawn.clear();
    for (const [place, [index, view]] of inOrder.entries()) {
      if (first + place < last) this.#drawn.set(first + place, view);
      else this.#release(index, view);
    }
  }

  #release(index: number, view: RowView): void {
    this.#drawn.delete(index);
    view.element.remove();
    this.#spare.push(view);
  }
}

/** Its counterpart, the request that it is part of, or what is part of it. */
const isRelated = (row: ViewRow, { seq, parent }: ViewRow) =>
  row.pair === seq || row.parent === seq || row.seq === parent;

/** How long after the beginning of the axis; from a minute on, the time of day. */
function scaleText({ from, after }: Axis, place: number): string {
  const ms = after(place);
  return ms < 60_000 ? formatDuration(ms, true) : formatTime(from + ms).slice(0, 8);
}
