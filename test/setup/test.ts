// npm test [unit|editor|ui|<file or folder of tests> …] [--grep <pattern>] [--changed [--since <commit>]]: the layers, at the
// same time. The last line is the sum.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { type Choice, changedSince, choose, readInputs, whereMainWasLeft } from './changed';
import { chromium } from './chromium';
import { chooseHost } from './host';
import { vscodeServer } from './installServer';
import { type Layer, type LayerResult, layers, leftOutLines, problem, processesAtOnce, runLayers } from './layers';
import { inRepository, root, sourceOf, testFiles } from './paths';
import { endWithStarter } from './processes';
import { keepSummary } from './report';
import { expectedMs } from './times';
import { productVsix } from './vsix';

const stopping = new AbortController();
let exitCode = 130;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

/** What a layer needs that takes long or may be missing; not counted in its time. */
async function prepare({ name, browser }: Layer): Promise<NodeJS.ProcessEnv> {
  if (browser && (name === 'ui' || (await chooseHost()) === 'server')) {
    await vscodeServer();
    await chromium();
  }
  return name === 'ui' ? { TEST_VSIX: await productVsix() } : {};
}

/** Runs those that can: what one needs may be missing. */
async function run(wanted: readonly Layer[]): Promise<Map<string, LayerResult>> {
  const results = new Map<string, LayerResult>();
  const env: NodeJS.ProcessEnv = {};
  for (const layer of wanted) {
    try {
      Object.assign(env, await prepare(layer));
    } catch (error) {
      results.set(layer.name, problem(error instanceof Error ? error.message : String(error)));
    }
  }
  const ready = wanted.filter(({ name }) => !results.has(name));
  return new Map([...results, ...(await runLayers(ready, env, stopping.signal))]);
}

/** Tests below the given files and folders, by source. @throws Error for one that has none. */
function testsBelow(given: string[]): string[] {
  return given.flatMap(name => {
    const wanted = path.relative(root, path.resolve(name)).replaceAll('\\', '/');
    const found = testFiles(inRepository('out'))
      .map(sourceOf)
      .filter(source => source === wanted || source.startsWith(`${wanted}/`));
    if (found.length === 0)
      throw new Error(`"${name}" is no layer (${layers.map(l => l.name).join(', ')}), no test and no folder of tests`);
    return found;
  });
}

/** How long the tests of a change may take, on all processors together: with the build, less than a minute. */
const changedMs = 40_000 * os.availableParallelism();

/** Chooses the tests of a change. @returns what to say of it at the end. */
function chooseChanged(wanted: string[], since: string | undefined): string[] {
  let from = since ?? 'HEAD';
  let changed = changedSince(from);
  if (changed.length === 0 && !since) {
    from = 'main';
    changed = changedSince(whereMainWasLeft());
  }
  const texts = new Map<string, string>();
  const read = (file: string) => {
    const text = texts.get(file) ?? fs.readFileSync(inRepository(file), 'utf8');
    texts.set(file, text);
    return text;
  };
  const repository = { changed, inputs: readInputs(), read, msOf: expectedMs() };
  const choices = wanted.map(layer => [layer, choose(layer, repository, changedMs)] as const);
  process.env.TEST_CHOSEN = JSON.stringify(choices.flatMap(([, { chosen }]) => chosen));
  const names = changed.length > 12 ? `${changed.length} files` : changed.join(', ') || 'nothing';
  return [`changed since ${from}: ${names}`, ...choices.flatMap(([layer, choice]) => told(layer, choice))];
}

function told(layer: string, { chosen, left, unseen }: Choice): string[] {
  const lines = [`${layer}: ${chosen.length} files can be touched${chosen.map(file => `\n  ${file}`).join('')}`];
  if (left.length > 0) {
    lines.push(`${layer}: ${left.length} more would take longer than a minute; "npm test -- ${layer}" runs them too`);
  }
  if (unseen.length > 0) lines.push(`${layer}: no test is known to depend on ${unseen.join(', ')}`);
  return lines;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { grep: { type: 'string', short: 'g' }, changed: { type: 'boolean' }, since: { type: 'string' } },
  });
  if (values.grep) process.env.MOCHA_GREP = values.grep;
  const known = layers.map(({ name }) => name);
  let wanted = known.filter(name => positionals.includes(name));
  const notes: string[] = [];
  const files = testsBelow(positionals.filter(name => !known.includes(name)));
  if (values.changed || values.since) {
    if (wanted.length === 0) wanted = ['unit'];
    notes.push(...chooseChanged(wanted, values.since));
    const others = known.filter(name => !wanted.includes(name));
    if (others.length > 0)
      notes.push(
        `not run, as each of their files starts an editor: ${others.join(', ')}; they can be asked for by name`,
      );
    wanted = wanted.filter(name => testFiles(inRepository('out/test', name)).length > 0);
    if (wanted.length === 0) {
      console.log([...notes, '0 passed, 0 failed'].join('\n'));
      return;
    }
  } else if (files.length > 0) {
    const ofLayers = testFiles(inRepository('out'))
      .map(sourceOf)
      .filter(file => wanted.some(name => file.startsWith(`test/${name}/`)));
    process.env.TEST_CHOSEN = JSON.stringify([...files, ...ofLayers]);
    wanted = known.filter(name => testFiles(inRepository('out/test', name)).length > 0);
  } else if (wanted.length === 0) wanted = known;

  let [passed, failed] = [0, 0];
  const lines: string[] = [];
  const started = Date.now();
  const results = await run(layers.filter(({ name }) => wanted.includes(name)));
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  for (const [name, result] of results) {
    const { passes, failures, failed: titles, problems, workMs = 0 } = result;
    passed += passes;
    failed += failures + problems.length;
    lines.push(`${name}: ${passes} passed, ${failures + problems.length} failed (${seconds(workMs)} s of work)`);
    for (const title of titles) lines.push(`${name}: ${title}`);
    for (const why of leftOutLines(result)) lines.push(`${name}: ${why}`);
    for (const why of problems) lines.push(`${name}: ${why}`);
  }
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
