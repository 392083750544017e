import type { Cell, HealthTable } from '../core/healthPage';
import { element, fill, replaceText } from './elements';

/** A table whose rows are replaced again and again, sorted by the column that the person has chosen. */
export class TableView {
  readonly element = element('section', 'table');
  readonly #table = element('table');
  readonly #caption = element('caption');
  readonly #head = element('tr');
  readonly #body = element('tbody');
  readonly #empty = element('p', 'empty');
  #shown: HealthTable | undefined;
  #sorted: { column: number; falling: boolean } | undefined;

  constructor() {
    const head = element('thead');
    head.append(this.#head);
    this.#table.append(this.#caption, head, this.#body);
    this.element.append(this.#table, this.#empty);
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
    fill(
      this.#head,
      columns.map(({ label, isNumber }, column) => {
        const cell = element('th', isNumber ? 'number' : '');
        cell.scope = 'col';
        if (!isSortable) {
          cell.textContent = label;
          return cell;
        }
        const button = element('button', '', label);
        button.type = 'button';
        button.addEventListener('click', () => this.#sortBy(column, isNumber === true));
        cell.append(button);
        return cell;
      }),
    );
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
    fill(
      this.#body,
      inOrder.map(cells => {
        const row = element('tr');
        row.append(
          ...cells.map(({ text, isBad }, column) => {
            const classes = [columns[column]?.isNumber && 'number', isBad && 'bad'].filter(Boolean).join(' ');
            return element('td', classes, text);
          }),
        );
        return row;
      }),
    );
  }
}

function compare({ sort: a }: Cell, { sort: b }: Cell): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}
