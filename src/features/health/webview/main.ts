import type { Card, FromHealthPage, HealthPage, Stretch } from '../core/healthPage';
import { element, fill, replaceText, svg } from './elements';
import { TableView } from './tableView';

declare function acquireVsCodeApi(): { postMessage(message: FromHealthPage): void };

const editor = acquireVsCodeApi();
const main = document.querySelector('main')!;
const SPARK = { width: 120, height: 28 };

// These elements are made once and then changed, so that the person's focus and selection survive.
const chooserLabel = element('label', 'chooser-label');
const chooser = element('select', 'chooser');
chooser.id = 'server';
chooserLabel.htmlFor = chooser.id;
const actions = element('div', 'actions');
const state = element('h1', 'state');
const details = element('p', 'details');
const problem = element('section', 'problem');
problem.hidden = true;
const bar = svg('svg', { class: 'bar', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', role: 'img' });
const cards = element('dl', 'cards');
const tables = element('div', 'tables');
const views = new Map<string, TableView>();
let shownActions = '';
let shownServers = '';
let shownProblem = '';

const top = element('div', 'top');
top.append(chooserLabel, chooser, actions);
// A screen reader announces a new state.
state.setAttribute('aria-live', 'polite');
main.append(top, state, details, problem, bar, cards, tables);

chooser.addEventListener('change', () => editor.postMessage({ type: 'choose', id: chooser.value }));
window.addEventListener('message', ({ data }: MessageEvent<HealthPage>) => show(data));
editor.postMessage({ type: 'ready' });

function show(page: HealthPage): void {
  showChooser(page.chooser);
  showActions(page.actions);
  replaceText(state, page.state.text);
  state.dataset.kind = page.state.kind;
  replaceText(details, page.state.details.join(' · '));
  showProblem(page.problem);
  showBar(page.bar);
  fill(cards, page.cards.map(cardOf));
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
    fill(
      chooser,
      servers.map(server => {
        const option = element('option', '', server.label);
        option.value = server.id;
        return option;
      }),
    );
  }
  chooser.value = chosen;
}

function showActions(wanted: HealthPage['actions']): void {
  const json = JSON.stringify(wanted);
  if (json === shownActions) return;
  shownActions = json;
  const had = document.activeElement?.parentElement === actions;
  fill(
    actions,
    wanted.map(({ action, label, isMain }) => {
      const button = element('button', isMain ? 'main' : '', label);
      button.type = 'button';
      button.addEventListener('click', () => editor.postMessage({ type: 'act', action }));
      return button;
    }),
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
  const children: Element[] = [element('p', '', wanted.text)];
  if (wanted.remedies.length > 0) {
    const remedies = element('div', 'remedies');
    remedies.append(
      ...wanted.remedies.map(title => {
        const button = element('button', '', title);
        button.type = 'button';
        button.addEventListener('click', () => editor.postMessage({ type: 'mend', title }));
        return button;
      }),
    );
    children.push(remedies);
  }
  if (wanted.lines.length > 0) {
    const lines = element('pre', '', wanted.lines.join('\n'));
    // It scrolls, so it must be reachable by keyboard.
    lines.tabIndex = 0;
    lines.setAttribute('role', 'region');
    lines.setAttribute('aria-label', wanted.linesLabel);
    children.push(element('h2', '', wanted.linesLabel), lines);
  }
  fill(problem, children);
}

/** Every stretch gets a width in proportion to its time, but at least enough to be visible. */
function showBar({ label, stretches }: HealthPage['bar']): void {
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
  fill(bar, stretches.map(part));
}

function cardOf({ id, label, value, details: lines, spark }: Card): Element {
  const card = element('div', 'card');
  card.dataset.id = id;
  const body = element('dd');
  body.append(element('span', 'value', value), ...lines.map(line => element('span', 'line', line)));
  if (spark && spark.values.length > 1) body.append(sparkline(spark.values, spark.label));
  card.append(element('dt', '', label), body);
  return card;
}

function sparkline(values: readonly number[], label: string): Element {
  const most = Math.max(...values) || 1;
  const x = (index: number) => (index / (values.length - 1)) * SPARK.width;
  const y = (value: number) => SPARK.height - 1 - (value / most) * (SPARK.height - 2);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const box = `0 0 ${SPARK.width} ${SPARK.height}`;
  const picture = svg('svg', {
    class: 'spark',
    viewBox: box,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': label,
  });
  picture.append(svg('polyline', { points }));
  return picture;
}
