import { button, el, replaceText } from '../../../editor/webview/page';
import type { Cell, HealthTable } from '../core/healthMessages';

/** A table whose rows are replaced again and again, sorted by the column that the person has chosen. */
export class TableView {
  readonly element: HTMLElement;
  readonly #caption = el('caption');
  readonly #head = el('tr');
  readonly #body = el('tbody');
  readonly #empty = el('p', 'empty');
  #shown: HealthTable | undefined;
  #sorted: { column: number; falling: boolean } | undefined;

  constructor() {
    const table = el('table', '', this.#caption, el('thead', '', this.#head), this.#body);
    this.element = el('section', 'table', table, this.#empty);
  }

  show(table: HealthTable): void {
    const isFirst = this.#shown === undefined;
    this.#shown = table;
    if (isFirst) this.#buildHead(table);
    replaceText(this.#caption, table.caption);
    replaceText(this.#empty, table.empty);
    this.#empty.hidden = table.rows.length > 0;
    this.#showRows(table);
  }

  #buildHead({ columns, isSortable }: HealthTable): void {
    const cells = columns.map(({ label, isNumber }, column) => {
      const shown = isSortable ? button(label, () => this.#sortBy(column, isNumber === true)) : label;
      return el('th', { scope: 'col', class: isNumber ? 'number' : '' }, shown);
    });
    this.#head.replaceChildren(...cells);
  }

  /** Numbers are sorted from the largest, names from A. */
  #sortBy(column: number, isNumber: boolean): void {
    const falling = this.#sorted?.column === column ? !this.#sorted.falling : isNumber;
    this.#sorted = { column, falling };
    for (const [index, cell] of [...this.#head.children].entries()) {
      if (index === column) cell.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
      else cell.removeAttribute('aria-sort');
    }
    if (this.#shown) this.#showRows(this.#shown);
  }

  #showRows({ rows, columns }: HealthTable): void {
    const sorted = this.#sorted;
    const inOrder = sorted
      ? rows.toSorted((a, b) => compare(a[sorted.column]!, b[sorted.column]!) * (sorted.falling ? -1 : 1))
      : rows;
    const cell = ({ text, isBad }: Cell, column: number) => {
      const classes = [columns[column]?.isNumber && 'number', isBad && 'bad'].filter(Boolean).join(' ');
      return el('td', classes, text);
    };
    this.#body.replaceChildren(...inOrder.map(cells => el('tr', '', ...cells.map(cell))));
  }
}

function compare({ sort: a }: Cell, { sort: b }: Cell): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}
