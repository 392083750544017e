// What `npm run bench -- --record` writes for people: the table of docs/performance.md, and the plots beside it.
import * as fs from 'node:fs';
import { pathToFileURL } from 'node:url';
import { requireOnDemand } from '../setup/onDemand';
import { inRepository } from '../setup/paths';
import { type RecordedRun, readHistory } from './history';
import { type BenchRow, judged } from './row';

/** What is used of Vega and Vega-Lite. */
interface Vega {
  parse(spec: unknown): unknown;
  View: new (runtime: unknown, options: { renderer: 'none' }) => { toSVG(): Promise<string> };
}
interface VegaLite {
  compile(spec: object): { spec: unknown };
}

const PAGE = 'docs/performance.md';
const begin = (args: string) => `<!-- made by npm run bench -- ${args} -->`;
const END = '<!-- end -->';

/** The table of the last recorded run. */
export function figures({ date, commit, machine, rows }: RecordedRun): string {
  return [
    `One run of ${date.slice(0, 10)} at ${commit}: ${machine}.`,
    '',
    '| row | budget | measured | against | spread | load |',
    '|---|---|---|---|---|---|',
    ...rows.map(row => `| ${cellsOf(row).join(' | ')} |`),
  ].join('\n');
}

function cellsOf(row: BenchRow): string[] {
  const { name, value, unit, against, ratio, budget, spread, load } = row;
  const measured = ratio === null ? `${value} ${unit}` : `${ratio}× (${value} ${unit})`;
  return [
    name,
    ratio === null ? `≤ ${budget} ${unit}` : `≤ ${budget}×`,
    judged(row) > budget ? `**${measured}**` : measured,
    against === null ? '' : `${against} ${unit}`,
    spread ? `${spread[0]} to ${spread[1]}` : '',
    String(load),
  ];
}

/** Writes the table and draws the plots. @throws Error when the page has no place for the table, or npm fails. */
export async function writePage(): Promise<void> {
  const history = readHistory();
  const last = history.at(-1);
  if (!last) return;
  replace(begin('--record'), figures(last));
  await draw('history', historyPlot(history));
}

/** Writes the table that a benchmark left in artifacts, if it has left one. */
export function writeTable(benchmark: string): void {
  const file = inRepository(`artifacts/bench/${benchmark}.md`);
  if (fs.existsSync(file)) replace(begin(`${benchmark} --record`), fs.readFileSync(file, 'utf8').trim());
}

function replace(mark: string, text: string): void {
  const page = fs.readFileSync(inRepository(PAGE), 'utf8');
  const [before, rest] = page.split(mark);
  const after = rest?.slice(rest.indexOf(END));
  if (after === undefined) throw new Error(`${PAGE} has no place between ${mark} and ${END}`);
  fs.writeFileSync(inRepository(PAGE), `${before}${mark}\n\n${text}\n\n${after}`);
}

/** Draws `docs/performance/<name>.svg` from a specification of Vega-Lite. */
export async function draw(name: string, spec: object): Promise<void> {
  const require = await requireOnDemand('plots');
  // They are modules that wait while they load, which `require` does not.
  const load = (name: string) => import(pathToFileURL(require.resolve(name)).href);
  const vega: Vega = await load('vega');
  const { compile }: VegaLite = await load('vega-lite');
  const view = new vega.View(vega.parse(compile(spec).spec), { renderer: 'none' });
  fs.writeFileSync(inRepository(`docs/performance/${name}.svg`), `${await view.toSVG()}\n`);
}

/** A small plot for each row: what it is judged by in each run, and its budget as a line. */
function historyPlot(history: readonly RecordedRun[]): object {
  const values = history.flatMap(({ date, rows }) =>
    rows.map(row => ({ row: row.name, date, judged: judged(row), budget: row.budget })),
  );
  const x = { field: 'date', type: 'ordinal', title: null, axis: { labels: false, ticks: false } };
  return {
    data: { values },
    facet: { field: 'row', type: 'nominal', title: null, header: { labelLimit: 600, labelFontSize: 9 } },
    columns: 4,
    resolve: { scale: { y: 'independent' } },
    config: { background: 'white', view: { stroke: '#ddd' } },
    spec: {
      width: 200,
      height: 60,
      layer: [
        {
          mark: { type: 'line', point: true, color: '#3b6fd4' },
          encoding: { x, y: { field: 'judged', type: 'quantitative', title: null, scale: { zero: true } } },
        },
        {
          mark: { type: 'rule', color: '#c0392b', strokeDash: [4, 3] },
          encoding: { y: { aggregate: 'max', field: 'budget', type: 'quantitative' } },
        },
      ],
    },
  };
}
