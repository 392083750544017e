// Mutants in windows: the extension is built with the fault in a copy of its sources, and windows run it in place of the package.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { layers, runLayers } from '../setup/layers';
import { inRepository, root } from '../setup/paths';
import { run } from '../setup/processes';
import { splitTest } from '../setup/provedTables';
import { failedAmong, type Mutant, mutatedSource, patternOf } from './mutantList';

/** What the extension is not made of; links to packages take the place of theirs. */
const LEFT_OUT = /^(\.git|\.vscode-test|artifacts|dist|docs|node_modules|out|test)$/;
/** A part of what tests otherwise wait: the machine has nothing else to do. */
const PATIENCE = '0.5';

/** Copies what the extension is made of into a folder, which windows of this process take it from. */
export function copySources(folder: string): void {
  const filter = (file: string) => !LEFT_OUT.test(relative(root, file));
  cpSync(root, folder, { recursive: true, filter });
  symlinkSync(inRepository('node_modules'), join(folder, 'node_modules'), 'junction');
  process.env.TEST_EXTENSION = folder;
}

/**
 * Runs tests in windows, each file's alone, without those before them. One that fails is run once more, as windows are not always on
 * time. @param copy of the sources, which is built. @returns those that fail both times.
 */
export async function failedInWindows(
  tests: readonly string[],
  copy: string,
  mutant?: Mutant,
): Promise<ReadonlySet<string>> {
  if (tests.length === 0) return new Set();
  await build(copy, mutant);
  const failed: string[] = [];
  for (const [file, own] of Map.groupBy(tests, test => splitTest(test)[0])) {
    const first = await failedOnce(file, own);
    const second = first.length > 0 ? await failedOnce(file, first) : [];
    failed.push(...second);
  }
  return new Set(failed);
}

async function build(copy: string, mutant: Mutant | undefined): Promise<void> {
  if (mutant) writeFileSync(join(copy, mutant.file), mutatedSource(mutant));
  try {
    await run(process.execPath, ['esbuild.js'], { cwd: copy, timeoutMs: 300_000 });
  } finally {
    if (mutant) writeFileSync(join(copy, mutant.file), readFileSync(inRepository(mutant.file)));
  }
}

async function failedOnce(file: string, tests: readonly string[]): Promise<string[]> {
  const own = layers.filter(({ folder }) => file.startsWith(`test/${folder}/`));
  const results = await runLayers(own, {
    env: { MOCHA_GREP: patternOf(tests), TEST_PATIENCE: PATIENCE },
    signal: new AbortController().signal,
    only: new Set([file]),
  });
  const all = [...results.values()];
  const [problem] = all.flatMap(({ problems }) => problems);
  if (problem) throw new Error(problem);
  const files = all.flatMap(result => result.files);
  for (const { title, message } of files.flatMap(({ failures }) => failures)) console.log(`  ${title}: ${message}`);
  return failedAmong(tests, files);
}
