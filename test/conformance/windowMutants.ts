// Mutants in windows: in a copy of the repository with the fault in it, which is built there, packaged and tested as usual.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inRepository, root } from '../setup/paths';
import { run } from '../setup/processes';
import { type Mutant, mutatedSource } from './mutantList';
import { patternOf, testOf } from './provedTables';

/** What is large and stays as it is: the copy has links to it. */
const LINKED = ['node_modules', '.vscode-test'];
const LEFT_OUT = [...LINKED, '.git', 'artifacts', 'dist', 'out'];
const TIMEOUT_MS = 15 * 60_000;
/** A part of what windows otherwise wait: this one has the machine to itself. */
const PATIENCE = '0.3';

/** Copies the repository into an empty folder. */
export function copyRepository(folder: string): void {
  const filter = (file: string) => !LEFT_OUT.includes(relative(root, file));
  cpSync(root, folder, { recursive: true, preserveTimestamps: true, filter });
  for (const name of LINKED) symlinkSync(inRepository(name), join(folder, name), 'junction');
}

/**
 * Runs tests in windows, without those before them in their files. `npm test` repeats what fails, as windows are not always on time.
 * @param copy of the repository. @returns those that fail both times.
 */
export async function failedInWindows(tests: readonly string[], copy: string, mutant?: Mutant): Promise<Set<string>> {
  const files = new Set(tests.map(test => testOf(test).file));
  const args = [join(copy, 'test/setup/bootstrap.mjs'), 'test', ...files, '--grep', patternOf(tests)];
  if (mutant) writeFileSync(join(copy, mutant.file), mutatedSource(mutant));
  const output = await run(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, TEST_PATIENCE: PATIENCE, TEST_PROCESSES: '1' },
    timeoutMs: TIMEOUT_MS,
  }).catch(error => (error as Error).message);
  if (mutant) writeFileSync(join(copy, mutant.file), readFileSync(inRepository(mutant.file)));
  // The sum is followed by `ui: <title>: <message>` of each failure.
  const [, ran] = /^(\d+) passed, \d+ failed\s*$/m.exec(output.slice(output.lastIndexOf('\n=== '))) ?? [];
  const failures = [...output.matchAll(/^(?:ui|editor): (?!\d+ (?:passed|left out)).*$/gm)].map(([line]) => line);
  if (ran === undefined || Number(ran) + failures.length === 0) throw new Error(`Nothing ran of ${tests}\n${output}`);
  for (const line of failures) console.log(`  ${line}`);
  return new Set(tests.filter(test => failures.some(line => line.includes(` @${test}: `))));
}
