// npm test [-- unit|package|editor|ui|<file or folder of tests> …] [--grep <pattern>] [--changed [--since <commit>]] [--strict]:
// the layers, at the same time. A file with windows that fails is run once more at the end, alone; if it passes then, it is
// flaky: named at the end, kept in artifacts/flaky.json, and no failure, unless there are more than three of them or --strict is
// given. The last line is the sum.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { changedSince, choose, whereMainWasLeft } from './changed';
import { runAgain, tellFlaky } from './flaky';
import { counted, type LayerResult, layers, processesAtOnce, runLayers } from './layers';
import { inRepository, root, sourceOf, testFiles } from './paths';
import { endWithStarter } from './processes';
import { keepSummary } from './report';
import { expectedMs } from './times';

const SLOWEST = 10;
/** How long the tests of a change may take, on all processors together: with the build, less than a minute. */
const changedMs = 40_000 * os.availableParallelism();

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

/** Chooses the tests of a change. @returns them, and what to say of it at the end. */
function chooseChanged(wanted: string[], since: string | undefined): { chosen: string[]; notes: string[] } {
  let from = since ?? 'HEAD';
  let changed = changedSince(from);
  if (changed.length === 0 && !since) {
    from = 'main';
    changed = changedSince(whereMainWasLeft());
  }
  const names = changed.length > 12 ? `${changed.length} files` : changed.join(', ') || 'nothing';
  const notes = [`changed since ${from}: ${names}`];
  const chosen: string[] = [];
  for (const layer of wanted) {
    const choice = choose(layer, changed, { msOf: expectedMs(), budgetMs: changedMs });
    chosen.push(...choice.chosen);
    notes.push(
      `${layer}: ${choice.chosen.length} files can be touched${choice.chosen.map(file => `\n  ${file}`).join('')}`,
    );
    if (choice.left.length > 0)
      notes.push(
        `${layer}: ${choice.left.length} more would take longer than a minute; "npm test -- ${layer}" runs them too`,
      );
    if (choice.unseen.length > 0) notes.push(`${layer}: no test is known to depend on ${choice.unseen.join(', ')}`);
  }
  return { chosen, notes };
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);

function slowest(results: Map<string, LayerResult>): string {
  const files = [...results.values()].flatMap(result => result.files);
  const longest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  return `slowest: ${longest.map(({ source, ms }) => `${source} ${seconds(ms)} s`).join(', ')}`;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      grep: { type: 'string', short: 'g' },
      changed: { type: 'boolean' },
      since: { type: 'string' },
      strict: { type: 'boolean' },
    },
  });
  if (values.grep) process.env.MOCHA_GREP = values.grep;
  const known = layers.map(({ name }) => name);
  let wanted = known.filter(name => positionals.includes(name));
  const notes: string[] = [];
  let only: Set<string> | undefined;
  const files = testsBelow(positionals.filter(name => !known.includes(name)));
  if (values.changed || values.since) {
    if (wanted.length === 0) wanted = ['unit'];
    const others = known.filter(name => !wanted.includes(name));
    const { chosen, notes: said } = chooseChanged(wanted, values.since);
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
  const results = await runLayers(ran, { ...options, only });
  const flaky = await runAgain(ran, results, { ...options, isStrict: values.strict === true });
  let [passed, failed] = [0, 0];
  const lines: string[] = [];
  for (const [name, result] of results) {
    const figures = counted(result);
    passed += figures.passed;
    failed += figures.failed;
    lines.push(`${name}: ${figures.passed} passed, ${figures.failed} failed (${seconds(result.workMs)} s of work)`);
    lines.push(...figures.lines.map(line => `${name}: ${line}`));
  }
  lines.push(...tellFlaky(flaky), slowest(results));
  lines.push(`${seconds(Date.now() - started)} s in all, ${processesAtOnce()} processes at once`);
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
