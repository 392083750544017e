import { button, connect, el, makeScrollable, replaceText, svg } from '../../../editor/webview/page';
import type { Card, Cell, FromHealthPage, HealthPage, HealthTable, Stretch } from '../core/healthMessages';

const editor = connect<HealthPage, FromHealthPage>(show);
const main = document.querySelector('main')!;
const SPARK = { width: 120, height: 28 };

// These elements are made once and then changed, so that the person's focus and selection survive.
const chooserLabel = el('label', 'chooser-label');
const chooser = el('select', 'chooser');
chooser.id = 'server';
chooserLabel.htmlFor = chooser.id;
const actions = el('div', 'actions');
const state = el('h1', 'state');
const about = el('p', 'about');
const details = el('p', 'details');
const problem = el('section', 'failure');
problem.hidden = true;
const bar = svg('svg', { class: 'bar', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', role: 'img' });
const legend = el('ul', 'legend');
const cards = el('dl', 'cards');
const tables = el('div', 'tables');
const views = new Map<string, TableView>();
let shownActions = '';
let shownServers = '';
let shownProblem = '';

// A screen reader announces a new state.
state.setAttribute('aria-live', 'polite');
main.append(
  el('div', 'top', chooserLabel, chooser, actions),
  state,
  about,
  details,
  problem,
  bar,
  legend,
  cards,
  tables,
);

chooser.addEventListener('change', () => editor.postMessage({ type: 'choose', id: chooser.value }));
editor.postMessage({ type: 'ready' });

function show(page: HealthPage): void {
  showChooser(page.chooser);
  showActions(page.actions);
  replaceText(state, page.state.text);
  state.dataset.kind = page.state.kind;
  replaceText(about, page.state.about);
  replaceText(details, page.state.details.join(' · '));
  showProblem(page.problem);
  showBar(page.bar);
  cards.replaceChildren(...page.cards.map(cardOf));
  for (const table of page.tables) {
    const view = views.get(table.id) ?? new TableView();
    if (!views.has(table.id)) {
      views.set(table.id, view);
      tables.append(view.element);
    }
    view.show(table);
  }
  tables.hidden = page.tables.length === 0;
}

function showChooser({ label, chosen, servers }: HealthPage['chooser']): void {
  replaceText(chooserLabel, label);
  chooserLabel.hidden = chooser.hidden = servers.length === 0;
  const json = JSON.stringify(servers);
  if (json !== shownServers) {
    shownServers = json;
    chooser.replaceChildren(...servers.map(server => el('option', { value: server.id }, server.label)));
  }
  chooser.value = chosen;
}

function showActions(wanted: HealthPage['actions']): void {
  const json = JSON.stringify(wanted);
  if (json === shownActions) return;
  shownActions = json;
  const had = document.activeElement?.parentElement === actions;
  actions.replaceChildren(
    ...wanted.map(({ action, label, isMain }) =>
      button(label, () => editor.postMessage({ type: 'act', action }), isMain ? 'main' : ''),
    ),
  );
  // Keeps the keyboard focus where it was for someone who has pressed Start.
  if (had) actions.querySelector('button')?.focus();
}

function showProblem(wanted: HealthPage['problem']): void {
  const json = JSON.stringify(wanted) ?? '';
  if (json === shownProblem) return;
  shownProblem = json;
  problem.hidden = !wanted;
  if (!wanted) return;
  const children: Element[] = [el('p', '', wanted.text)];
  if (wanted.remedies.length > 0) {
    const mend = (title: string) => button(title, () => editor.postMessage({ type: 'mend', title }));
    children.push(el('div', 'remedies', ...wanted.remedies.map(mend)));
  }
  if (wanted.lines.length > 0) {
    const lines = el('pre', '', wanted.lines.join('\n'));
    makeScrollable(lines, wanted.linesLabel);
    children.push(el('h2', '', wanted.linesLabel), lines);
  }
  problem.replaceChildren(...children);
}

/** Every stretch gets a width in proportion to its time, but at least enough to be visible. */
function showBar({ label, stretches, legend: names }: HealthPage['bar']): void {
  const total = stretches.reduce((sum, { ms }) => sum + ms, 0) || 1;
  const least = stretches.length === 0 ? 0 : Math.min(8, 500 / stretches.length);
  const free = 1_000 - least * stretches.length;
  let x = 0;
  const part = ({ kind, ms }: Stretch) => {
    const width = least + (free * ms) / total;
    const rectangle = svg('rect', { x, y: 0, width, height: 10, class: `kind-${kind}` });
    x += width;
    return rectangle;
  };
  bar.setAttribute('aria-label', label);
  bar.toggleAttribute('hidden', stretches.length === 0);
  bar.replaceChildren(...stretches.map(part));
  const key = (kind: string) =>
    svg(
      'svg',
      { viewBox: '0 0 10 10', 'aria-hidden': 'true' },
      svg('rect', { width: 10, height: 10, class: `kind-${kind}` }),
    );
  legend.replaceChildren(...names.map(({ kind, name }) => el('li', '', key(kind), name)));
}

function cardOf({ id, label, value, details: lines, spark }: Card): Element {
  const body = el('dd', '', el('span', 'value', value), ...lines.map(line => el('span', 'line', line)));
  if (spark && spark.values.length > 1) body.append(sparkline(spark.values, spark.label));
  return el('div', { class: 'card', 'data-id': id }, el('dt', '', label), body);
}

function sparkline(values: readonly number[], label: string): Element {
  const most = Math.max(...values) || 1;
  const x = (index: number) => (index / (values.length - 1)) * SPARK.width;
  const y = (value: number) => SPARK.height - 1 - (value / most) * (SPARK.height - 2);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const box = `0 0 ${SPARK.width} ${SPARK.height}`;
  const look = { class: 'spark', viewBox: box, preserveAspectRatio: 'none', role: 'img', 'aria-label': label };
  return svg('svg', look, svg('polyline', { points }));
}

/** A table whose rows are replaced again and again, sorted by the column that the person has chosen. */
class TableView {
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
    this.element.classList.toggle('history', !isSortable);
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
