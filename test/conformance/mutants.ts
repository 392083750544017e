// npm run conformance -- mutants [filter …]: whether the tests that the rows of the table name fail when what they prove is broken.
//
// Each mutant (mutantList.ts) is compiled into a temporary file, which takes the place of the original in the processes that run
// the tests of its rows, several mutants at a time. A filter is a part of a mutant's name, of a source's, or `area#index` of a row.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { type Job, runJobs } from '../setup/pool';
import { atExit } from '../setup/processes';
import { splitTest } from '../setup/provedTables';
import { canRun, type Mutant, metRows, mutatedSource, type Row, readMutants } from './mutantList';
import { runScenario, type Scenario, scenarios } from './suite';

/** Most of them wait for what a mutant keeps from coming. */
const PARALLEL = 6;
const TIMEOUT_MS = 90_000;
/** A part of the time that a test otherwise has: what comes at all comes soon. */
const PATIENCE = '0.4';
const SCENARIO = 'conformance';

/** Arguments of mutated.js that replace nothing. */
const NONE = ['none', 'none', 'none', 'none'];

/** Runs the mutants that one of the filters chooses, or all. @returns whether each was killed by a test of each of its rows. */
export async function runMutants(filters: readonly string[]): Promise<boolean> {
  const rows = metRows();
  const isWanted = (mutant: Mutant) =>
    filters.length === 0 ||
    filters.some(
      filter =>
        [mutant.name, mutant.file].some(text => text.includes(filter)) ||
        rowsOf(rows, mutant).some(row => nameOf(row) === filter),
    );
  const mutants = readMutants().filter(isWanted);
  const folder = temporaryFolder();
  const forget = atExit(() => remove(folder));
  try {
    const all = await scenarios();
    const tests = new Set(mutants.flatMap(mutant => testsOf(rows, mutant)));
    console.log(`Without a mutant: ${tests.size} tests`);
    const broken = await failedTests([...tests], all);
    for (const test of broken) console.log(`  fails without a mutant: ${test}`);
    const survivors = await inParallel(mutants, async (mutant, at) => {
      const files = await compile(mutant, join(folder, String(at)));
      const failed = await failedTests(testsOf(rows, mutant), all, files);
      return report(
        mutant,
        rows,
        new Set([...failed].filter(test => !broken.has(test))),
        `${at + 1}/${mutants.length}`,
      );
    });
    summarize(rows, new Set(survivors.flat()), filters.length > 0);
    return broken.size + survivors.flat().length === 0;
  } finally {
    forget();
    remove(folder);
  }
}

const nameOf = ({ area, index }: Row) => `${area}#${index}`;
const rowsOf = (rows: readonly Row[], { name }: Mutant) => rows.filter(({ mutants }) => mutants?.includes(name));
const testsOf = (rows: readonly Row[], mutant: Mutant) => [
  ...new Set(rowsOf(rows, mutant).flatMap(({ tests = [] }) => tests.filter(canRun))),
];

/** @returns the rows of the mutant that it survived. */
function report(mutant: Mutant, rows: readonly Row[], failed: ReadonlySet<string>, progress: string): Row[] {
  const own = rowsOf(rows, mutant);
  const survived = own.filter(({ tests = [] }) => !tests.some(test => failed.has(test)));
  const verdict = survived.length === 0 ? 'killed' : `SURVIVED ${survived.map(nameOf).join(', ')}`;
  console.log(`${progress} ${mutant.name}: ${verdict} (${own.length} rows)`);
  return survived;
}

function summarize(rows: readonly Row[], survivors: ReadonlySet<Row>, isPart: boolean): void {
  const without = rows.filter(({ mutants }) => !mutants);
  const inWindows = without.filter(({ tests = [] }) => !tests.some(canRun));
  if (!isPart) {
    console.log(`\n${inWindows.length} rows are proved only by tests with a window, in which no mutant runs`);
    for (const row of without) if (!inWindows.includes(row)) console.log(`no mutant: ${nameOf(row)}: ${row.says}`);
  }
  for (const row of survivors) console.log(`survived: ${nameOf(row)}: ${row.says}`);
  if (isPart) return;
  const dead = rows.length - without.length - survivors.size;
  console.log(`${dead} of ${rows.length} met rows die by a mutant (${((100 * dead) / rows.length).toFixed(1)} %)`);
}

/** Compiles the source as the tests' build does. @returns the arguments of mutated.js. */
async function compile(mutant: Mutant, folder: string): Promise<string[]> {
  const text = mutatedSource(mutant);
  mkdirSync(folder);
  const [source, compiled] = [join(folder, 'mutant'), join(folder, 'mutant.js')];
  writeFileSync(source, text);
  const original = inRepository('out', mutant.file.replace(/\.ts$/, '.js'));
  if (!mutant.file.endsWith('.ts')) return ['none', 'none', inRepository(mutant.file), source];
  const { sources } = require(inRepository('build/graph.js')) as {
    sources(table: unknown, read: () => string): Plugin;
  };
  const { outputFiles } = await build({
    entryPoints: [inRepository(mutant.file)],
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    write: false,
    plugins: [sources(undefined, () => text)],
  });
  writeFileSync(compiled, outputFiles[0]!.contents);
  return [original, compiled, inRepository(mutant.file), source];
}

/** Those of the tests that fail. @param mutated arguments of mutated.js. */
async function failedTests(
  tests: readonly string[],
  all: readonly Scenario[],
  mutated?: readonly string[],
): Promise<Set<string>> {
  const failed = new Set<string>();
  const byFile = Map.groupBy(tests, test => splitTest(test)[0]);
  for (const test of byFile.get(SCENARIO) ?? []) {
    const { name, versions } = all.find(one => `${SCENARIO}: ${one.name}` === test) ?? { name: '', versions: [] };
    if (versions.length === 0) throw new Error(`There is no ${test}.`);
    for (const version of versions)
      if ((await runScenario(name, version, mutated ?? NONE)).status !== 'passed') failed.add(test);
  }
  byFile.delete(SCENARIO);
  const { files } = await runJobs(
    [...byFile].map(([file, own]) => jobOf(file, own.map(pattern), mutated)),
    { atOnce: mutated ? 1 : 2, windows: 0 },
    new AbortController().signal,
  );
  for (const { source, failures, passes } of files) {
    const own = byFile.get(source) ?? [];
    if (passes + failures.length === 0) throw new Error(`Nothing ran of ${own.join(', ')}`);
    for (const { title, message } of failures) {
      // A process that died or hung says in which test it did; one that loaded nothing is no proof.
      const text = title.startsWith('the process of ') ? message : title;
      for (const test of own) if (new RegExp(`${pattern(test)}"?$`).test(text)) failed.add(test);
    }
  }
  return failed;
}

/** A pattern for the titles of a test: those made for several cases have `${…}` in the source. */
const pattern = (test: string) =>
  splitTest(test)[1]
    .replaceAll(/\\(.)/g, '$1')
    .split(/\$\{.*?\}(?=[^}]|$)/)
    .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');

const jobOf = (file: string, patterns: readonly string[], mutated: readonly string[] | undefined): Job => ({
  layer: 'mutants',
  most: PARALLEL,
  hasWindow: false,
  keptMs: 0,
  program: ['../conformance/mutated.js', ...(mutated ?? NONE), inRepository('out/test/setup/child.js')],
  files: [inRepository('out', file.replace(/\.ts$/, '.js'))],
  timeoutMs: TIMEOUT_MS,
  env: { MOCHA_GREP: `(${patterns.join('|')})$`, ...(mutated && { TEST_PATIENCE: PATIENCE }) },
  print: () => {},
});

/** Takes the items in their order, several at a time. */
async function inParallel<T, R>(items: readonly T[], work: (item: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const take = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!, at);
  };
  await Promise.all(Array.from({ length: PARALLEL }, take));
  return results;
}
