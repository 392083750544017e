// npm test [-- unit|package|editor|ui|<file or folder of tests> …] [--grep <pattern>] [--changed [--since <commit>]]
//   [--all | --night] [--minutes <n>] [--strict]:
// the layers, at the same time. `--all` (npm run test:all) takes the files that wait for the night too, and then the further suites;
// `--night` takes those files alone. A file with windows that fails is run once more at the end, alone; if it passes then, it is
// flaky: named at the end, kept in artifacts/flaky.json, and no failure, unless there are more than three of them or --strict is
// given. The last line is the sum.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { changedSince, choose, whereMainWasLeft } from './changed';
import {
  counted,
  type Layer,
  type LayerResult,
  layers,
  processesAtOnce,
  runAgain,
  runLayers,
  tellFlaky,
} from './layers';
import { inRepository, root, sourceOf, testFiles } from './paths';
import { endWithStarter, spawnGroup } from './processes';
import { keepSummary } from './report';
import { expectedMs } from './times';

const SLOWEST = 10;
/** How long the tests of a change may take where nothing is asked for: with the build, less than a minute. */
const CHANGED_MINUTES = 40 / 60;

/** What `npm run test:all` runs after the layers: programs below out/test, with their arguments. */
const FURTHER = [['conformance/run.js'], ['compat/run.js', '--if-possible'], ['soak/run.js', '--minutes=10']] as const;

const stopping = new AbortController();
let exitCode = 130;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

/** Sources of the tests below the given files and folders. @throws Error for one that has none. */
function testsBelow(given: string[]): string[] {
  const all = testFiles(inRepository('out/test')).map(sourceOf);
  return given.flatMap(name => {
    const wanted = path.relative(root, path.resolve(name)).replaceAll('\\', '/');
    const found = all.filter(source => source === wanted || source.startsWith(`${wanted}/`));
    if (found.length === 0)
      throw new Error(`"${name}" is no layer (${layers.map(l => l.name).join(', ')}), no test and no folder of tests`);
    return found;
  });
}

interface ChangedOptions {
  /** Names of the layers. */
  wanted: readonly string[];
  since: string | undefined;
  /** How long they may take. */
  minutes: number;
  isWanted(source: string): boolean;
}

/** Chooses the tests of a change. @returns them, and what to say of it at the end. */
function chooseChanged({ wanted, since, minutes, isWanted }: ChangedOptions) {
  let from = since ?? 'HEAD';
  let changed = changedSince(from);
  if (changed.length === 0 && !since) {
    from = 'main';
    changed = changedSince(whereMainWasLeft());
  }
  const names = changed.length > 12 ? `${changed.length} files` : changed.join(', ') || 'nothing';
  const budgetMs = minutes * 60_000 * processesAtOnce();
  const { chosen, left, unseen } = choose(wanted, changed, { msOf: expectedMs(), budgetMs, isWanted });
  const list = (files: string[]) => files.map(file => `\n  ${file}`).join('');
  const notes = [`changed since ${from}: ${names}`, `run, as a change can touch them: ${chosen.length}${list(chosen)}`];
  if (left.length > 0)
    notes.push(`not run, as all would take longer than ${minutes.toFixed(1)} min: ${left.length}${list(left)}`);
  if (unseen.length > 0) notes.push(`no test of ${wanted.join(', ')} is known to depend on ${unseen.join(', ')}`);
  return { chosen, notes };
}

/** Keeps what each file has taken, for those who make them faster. */
function keepTimes(results: Map<string, LayerResult>): void {
  const files = [...results.values()].flatMap(result => result.files);
  const rows = files.map(({ source, ms, workMs, waitingMs, windows, windowMs }) => ({
    source,
    ms,
    workMs,
    waitingMs,
    windows,
    windowMs,
  }));
  fs.writeFileSync(inRepository('artifacts/times.json'), `${JSON.stringify(rows, null, 1)}\n`);
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);

/** What took longest, what waited longest, and how many windows were opened. */
function slowest(results: Map<string, LayerResult>): string[] {
  const files = [...results.values()].flatMap(result => result.files);
  const ten = (what: string, of: 'ms' | 'workMs' | 'waitingMs') =>
    `${what}: ${files
      .toSorted((a, b) => b[of] - a[of])
      .slice(0, SLOWEST)
      .map(file => `${file.source} ${seconds(file[of])} s`)
      .join(', ')}`;
  const sum = (of: 'windows' | 'windowMs') => files.reduce((all, file) => all + file[of], 0);
  const windows = `${sum('windows')} windows of the ui layer took ${seconds(sum('windowMs'))} s to open`;
  return [ten('slowest', 'ms'), ten('worked most', 'workMs'), ten('waited most', 'waitingMs'), windows];
}

/** Runs a further suite, which says itself what failed. @returns its line for the end. */
async function runFurther([program, ...args]: readonly [string, ...string[]]): Promise<{
  line: string;
  failed: number;
}> {
  const flags = program.startsWith('soak') ? ['--expose-gc'] : [];
  const child = spawnGroup(process.execPath, [...flags, inRepository('out/test', program), ...args], {
    stdio: 'inherit',
  });
  const end = () => child.kill();
  stopping.signal.addEventListener('abort', end);
  const code = await new Promise<number | string>(resolve => {
    child.once('exit', (status, signal) => resolve(status ?? signal ?? 1));
  });
  stopping.signal.removeEventListener('abort', end);
  return { line: `${program}: ${code === 0 ? 'passed' : `failed with ${code}`}`, failed: code === 0 ? 0 : 1 };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      grep: { type: 'string', short: 'g' },
      changed: { type: 'boolean' },
      since: { type: 'string' },
      all: { type: 'boolean', default: false },
      night: { type: 'boolean', default: false },
      minutes: { type: 'string', default: String(CHANGED_MINUTES) },
      strict: { type: 'boolean', default: false },
    },
  });
  if (values.grep) process.env.MOCHA_GREP = values.grep;
  if (values.all || values.night) process.env.TEST_NIGHT = '1';
  // A picture takes 0.3 s of processor time, and nobody looks at pictures of a run of everything.
  else if (positionals.length === 0) process.env.TEST_PICTURES ??= '0';
  const known = layers.map(({ name }) => name);
  let wanted = known.filter(name => positionals.includes(name));
  const notes: string[] = [];
  let only: ReadonlySet<string> | undefined;
  const isWanted = (source: string, { isNightly }: Layer) =>
    only?.has(source) ?? (values.all || isNightly(source) === values.night);
  const files = testsBelow(positionals.filter(name => !known.includes(name)));
  if (values.changed || values.since) {
    if (wanted.length === 0) wanted = ['unit'];
    const others = known.filter(name => !wanted.includes(name));
    const { chosen, notes: said } = chooseChanged({
      wanted,
      since: values.since,
      minutes: Number(values.minutes),
      isWanted: source => layers.some(layer => source.startsWith(`test/${layer.name}/`) && isWanted(source, layer)),
    });
    only = new Set(chosen);
    notes.push(...said, `not run: ${others.join(', ')}; they can be asked for by name`);
    if (chosen.length === 0) {
      console.log([...notes, '0 passed, 0 failed'].join('\n'));
      exitCode = 0;
      return;
    }
  } else if (files.length > 0) {
    const ofLayers = wanted.flatMap(name => testsBelow([inRepository('test', name)]));
    only = new Set([...files, ...ofLayers]);
    wanted = known.filter(name => wanted.includes(name) || files.some(file => file.startsWith(`test/${name}/`)));
  } else if (wanted.length === 0) wanted = known;

  const started = Date.now();
  const ran = layers.filter(({ name }) => wanted.includes(name));
  const options = { signal: stopping.signal, print: (text: string) => void fs.writeSync(1, text) };
  const results = await runLayers(ran, { ...options, isWanted });
  keepTimes(results);
  const flaky = await runAgain(ran, results, { ...options, isStrict: values.strict });
  let [passed, failed] = [0, 0];
  const lines: string[] = [];
  for (const [name, result] of results) {
    const figures = counted(result);
    passed += figures.passed;
    failed += figures.failed;
    lines.push(`${name}: ${figures.passed} passed, ${figures.failed} failed (${seconds(result.workMs)} s of work)`);
    lines.push(...figures.lines.map(line => `${name}: ${line}`));
  }
  lines.push(...tellFlaky(flaky), ...slowest(results));
  lines.push(`${seconds(Date.now() - started)} s in all, ${processesAtOnce()} processes at once`);
  for (const suite of values.all && positionals.length === 0 ? FURTHER : []) {
    if (stopping.signal.aborted) break;
    const ended = await runFurther(suite);
    failed += ended.failed;
    lines.push(ended.line);
  }
  if (passed + failed === 0) {
    failed = 1;
    lines.push('no test ran');
  }
  const summary = `${[...notes, ...lines].join('\n')}\n${passed} passed, ${failed} failed`;
  console.log(`\n${summary}`);
  keepSummary(summary);
  exitCode = stopping.signal.aborted ? 130 : failed > 0 ? 1 : 0;
}

endWithStarter();
main().then(
  () => {
    process.exitCode = exitCode;
  },
  error => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
