// Mutants: small faults in sources, each of which breaks what sentences of the specification ask for. `mutants.json` has them by
// source and name, as the text that is replaced and its replacement; the rows of `sentences/` name those that must fail their tests.
import { readFileSync } from 'node:fs';
import { inRepository } from '../setup/paths';
import type { FileResult } from '../setup/pool';
import { LINT, type Proof, readJson, SCENARIO, testOf } from './provedTables';
import { readRows, type Sentence } from './sentences';

export interface Mutant {
  name: string;
  /** Below the repository. */
  file: string;
  text: string;
  replacement: string;
}

/** A row of the table, with its place in its file. */
export interface Row extends Sentence {
  area: string;
  /** From 0. */
  index: number;
}

export const readMutants = (): Mutant[] =>
  Object.entries(readJson<Record<string, Record<string, [string, string]>>>('test/conformance/mutants.json')).flatMap(
    ([file, own]) => Object.entries(own).map(([name, [text, replacement]]) => ({ name, file, text, replacement })),
  );

export const metRows = (): Row[] =>
  readRows().flatMap(([area, rows]) =>
    rows.map((row, index) => ({ ...row, area, index })).filter(({ state }) => state === 'met'),
  );

/** Whether a test runs without a window. */
export const hasNoWindow = (test: Proof): boolean =>
  [SCENARIO, LINT].includes(testOf(test).file) || layerOf(test) === 'unit';

/** Whether a test runs in an editor or a browser. */
export const hasWindow = (test: Proof): boolean => ['editor', 'ui'].includes(layerOf(test));

const layerOf = (test: Proof): string => testOf(test).file.split('/')[1] ?? '';

/** The source with the fault. @throws Error unless the text is found exactly once. */
export function mutatedSource({ name, file, text, replacement }: Mutant): string {
  const parts = readFileSync(inRepository(file), 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`"${name}": its text is ${parts.length - 1} times in ${file}: ${text}`);
  return parts.join(replacement);
}

/** Those of the tests that fail in the results. @throws Error when nothing of a file ran. */
export function failedAmong(tests: readonly Proof[], files: readonly FileResult[]): string[] {
  const failed: string[] = [];
  for (const { source, failures, passes } of files) {
    const own = tests.filter(test => testOf(test).file === source);
    if (passes + failures.length === 0) throw new Error(`Nothing ran of ${own.join(', ')}`);
    for (const { title, message } of failures) {
      // A process that died or hung says in which test it did; one that loaded nothing is no proof.
      const text = title.startsWith('the process of ') ? message : title;
      failed.push(...own.filter(test => [` @${test}`, ` @${test}"`].some(end => text.endsWith(end))));
    }
  }
  return failed;
}
