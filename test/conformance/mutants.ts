// npm run conformance -- mutants [--windows] [filter …]: whether the tests that the rows of the table name fail when what they prove
// is broken. With `--windows`, those of the rows that only tests with windows prove (windowMutants.ts); else those of the others.
//
// Each mutant (mutantList.ts) is compiled into a temporary file, which takes the place of the original in the processes that run
// the tests of its rows, several mutants at a time. A filter is a part of a mutant's name, of a source's, or `area#index` of a row.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { type Job, runJobs } from '../setup/pool';
import { atExit } from '../setup/processes';
import { failedAmong, hasNoWindow, type Mutant, metRows, mutatedSource, type Row, readMutants } from './mutantList';
import { LINT, patternOf, SCENARIO, testOf } from './provedTables';
import { runScenario, type Scenario, scenarios } from './suite';
import { copyRepository, failedInWindows } from './windowMutants';

/** Most of them wait for what a mutant keeps from coming. */
const PARALLEL = 6;
const TIMEOUT_MS = 90_000;
/** A part of the time that a test otherwise has: what comes at all comes soon. */
const PATIENCE = '0.4';

/** The program that checks the rules for sources. */
const RULES = 'test/lint/architecture.mjs';

/** Arguments of mutated.js that replace nothing. */
const NONE = ['none', 'none', 'none', 'none'];

/**
 * Runs the mutants that one of the filters chooses, or all. @param inWindows those of the rows that only windows prove.
 * @returns whether each was killed by a test of each of its rows.
 */
export async function runMutants(filters: readonly string[], inWindows: boolean): Promise<boolean> {
  const rows = metRows().filter(row => isForWindows(row) === inWindows);
  const isWanted = (mutant: Mutant) =>
    filters.length === 0 ||
    filters.some(
      filter =>
        [mutant.name, mutant.file].some(text => text.includes(filter)) ||
        rowsOf(rows, mutant).some(row => nameOf(row) === filter),
    );
  const mutants = readMutants().filter(mutant => rowsOf(rows, mutant).length > 0 && isWanted(mutant));
  const folder = temporaryFolder();
  const forget = atExit(() => remove(folder));
  try {
    const { broken, survivors } = await (inWindows ? tryInWindows : tryInProcesses)(mutants, rows, folder);
    for (const test of broken) console.log(`fails without a mutant: ${test}`);
    summarize(rows, new Set(survivors), { inWindows, isPart: filters.length > 0 });
    // Of tests in windows, some need those before them, without which they ran: no mutant was killed by those.
    return survivors.length === 0 && (inWindows || broken.size === 0);
  } finally {
    forget();
    remove(folder);
  }
}

interface Outcome {
  /** Tests that fail without a mutant. */
  broken: ReadonlySet<string>;
  survivors: Row[];
}

async function tryInProcesses(mutants: readonly Mutant[], rows: readonly Row[], folder: string): Promise<Outcome> {
  const all = await scenarios();
  const tests = new Set(mutants.flatMap(mutant => testsOf(rows, mutant)));
  console.log(`Without a mutant: ${tests.size} tests`);
  const broken = await failedTests([...tests], all);
  const survivors = await inParallel(mutants, async (mutant, at) => {
    const files = await compile(mutant.file, mutatedSource(mutant), join(folder, String(at)));
    const failed = await failedTests(testsOf(rows, mutant), all, files);
    return report(mutant, rows, without(failed, broken), `${at + 1}/${mutants.length}`);
  });
  return { broken, survivors: survivors.flat() };
}

async function tryInWindows(mutants: readonly Mutant[], rows: readonly Row[], folder: string): Promise<Outcome> {
  copyRepository(folder);
  const broken = new Set<string>();
  /** Tests, together, that were run without a mutant. */
  const tried = new Set<string>();
  const survivors: Row[] = [];
  for (const [at, mutant] of mutants.entries()) {
    const tests = testsOf(rows, mutant);
    const failed = await failedInWindows(tests, folder, mutant);
    // Tests that need those before them fail without a mutant, too.
    if (failed.size > 0 && !tried.has(tests.join())) {
      for (const test of await failedInWindows(tests, folder)) broken.add(test);
      tried.add(tests.join());
    }
    survivors.push(...report(mutant, rows, without(failed, broken), `${at + 1}/${mutants.length}`));
  }
  return { broken, survivors };
}

const without = (all: ReadonlySet<string>, some: ReadonlySet<string>) =>
  new Set([...all].filter(test => !some.has(test)));
const nameOf = ({ area, index }: Row) => `${area}#${index}`;
const rowsOf = (rows: readonly Row[], { name }: Mutant) => rows.filter(({ mutants }) => mutants?.includes(name));
const isForWindows = ({ tests = [] }: Row) => !tests.some(hasNoWindow);
const testsOf = (rows: readonly Row[], mutant: Mutant) => [
  ...new Set(
    rowsOf(rows, mutant).flatMap(row => row.tests?.filter(test => hasNoWindow(test) || isForWindows(row)) ?? []),
  ),
];

/** @returns the rows of the mutant that it survived. */
function report(mutant: Mutant, rows: readonly Row[], failed: ReadonlySet<string>, progress: string): Row[] {
  const own = rowsOf(rows, mutant);
  const survived = own.filter(({ tests = [] }) => !tests.some(test => failed.has(test)));
  const verdict = survived.length === 0 ? 'killed' : `SURVIVED ${survived.map(nameOf).join(', ')}`;
  console.log(`${progress} ${mutant.name}: ${verdict} (${own.length} rows)`);
  return survived;
}

function summarize(
  rows: readonly Row[],
  survivors: ReadonlySet<Row>,
  { inWindows, isPart }: { inWindows: boolean; isPart: boolean },
): void {
  const untried = rows.filter(({ mutants }) => !mutants);
  if (!isPart) for (const row of untried) console.log(`no mutant: ${nameOf(row)}: ${row.says}`);
  for (const row of survivors) console.log(`survived: ${nameOf(row)}: ${row.says}`);
  if (isPart) return;
  const dead = rows.length - untried.length - survivors.size;
  const percent = ((100 * dead) / rows.length).toFixed(1);
  console.log(
    `${dead} of ${rows.length} met rows ${inWindows ? 'of windows alone ' : ''}die by a mutant (${percent} %)`,
  );
  if (!inWindows) {
    const others = metRows().filter(isForWindows);
    const have = others.filter(({ mutants }) => mutants).length;
    console.log(`${others.length} more are proved in windows alone; ${have} have a mutant, which runs with --windows`);
  }
}

/** Compiles the text of a source as the tests' build does. @returns the arguments of mutated.js. */
export async function compile(file: string, text: string, folder: string): Promise<string[]> {
  mkdirSync(folder);
  const [source, compiled] = [join(folder, 'mutant'), join(folder, 'mutant.js')];
  writeFileSync(source, text);
  const original = inRepository('out', file.replace(/\.ts$/, '.js'));
  if (!file.endsWith('.ts')) return ['none', 'none', inRepository(file), source];
  const { code } = await transform(text, { loader: 'ts', platform: 'node', target: 'node22', format: 'cjs' });
  writeFileSync(compiled, code);
  return [original, compiled, inRepository(file), source];
}

/** Those of the tests that fail. @param mutated arguments of mutated.js. */
async function failedTests(
  tests: readonly string[],
  all: readonly Scenario[],
  mutated?: readonly string[],
): Promise<Set<string>> {
  const failed = new Set<string>();
  const byFile = Map.groupBy(tests, test => testOf(test).file);
  for (const test of byFile.get(SCENARIO) ?? []) {
    const { name, versions } = all.find(one => `${SCENARIO}: ${one.name}` === test) ?? { name: '', versions: [] };
    if (versions.length === 0) throw new Error(`There is no ${test}.`);
    for (const version of versions)
      if ((await runScenario(name, version, mutated ?? NONE)).status !== 'passed') failed.add(test);
  }
  byFile.delete(SCENARIO);
  if (byFile.has(LINT)) {
    const lint = [inRepository('out/test/conformance/mutated.js'), ...(mutated ?? NONE), inRepository(RULES)];
    if (spawnSync(process.execPath, lint).status !== 0) for (const rule of byFile.get(LINT) ?? []) failed.add(rule);
    byFile.delete(LINT);
  }
  const { files } = await runJobs(
    [...byFile].map(([file, own]) => jobOf(file, patternOf(own), mutated)),
    { atOnce: mutated ? 1 : 2, windows: 0 },
    new AbortController().signal,
  );
  for (const test of failedAmong(tests, files)) failed.add(test);
  return failed;
}

/** Runs the tests of a file whose titles match. @param mutated arguments of mutated.js. */
export const jobOf = (file: string, pattern: string, mutated: readonly string[] | undefined): Job => ({
  layer: 'mutants',
  most: PARALLEL,
  hasWindow: false,
  keptMs: 0,
  program: ['../conformance/mutated.js', ...(mutated ?? NONE), inRepository('out/test/setup/child.js')],
  files: [inRepository('out', file.replace(/\.ts$/, '.js'))],
  timeoutMs: TIMEOUT_MS,
  env: { MOCHA_GREP: pattern, ...(mutated && { TEST_PATIENCE: PATIENCE }) },
  print: () => {},
});

/** Takes the items in their order, several at a time. */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T, at: number) => Promise<R>,
  most = PARALLEL,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const take = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!, at);
  };
  await Promise.all(Array.from({ length: most }, take));
  return results;
}
