// Mutants: small faults in sources, each of which breaks what sentences of the specification ask for. `mutants.json` has them by
// source and name, as the text that is replaced and its replacement; the rows of `sentences/` name those that must fail their tests.
import { readFileSync } from 'node:fs';
import { inRepository } from '../setup/paths';
import type { FileResult } from '../setup/pool';
import { readJson, splitTest } from './provedTables';
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
export const hasNoWindow = (test: string): boolean => /^(test\/unit\/|conformance: )/.test(test);

/** Whether a test runs in an editor or a browser. */
export const hasWindow = (test: string): boolean => /^test\/(editor|ui)\//.test(test);

/** The source with the fault. @throws Error unless the text is found exactly once. */
export function mutatedSource({ name, file, text, replacement }: Mutant): string {
  const parts = readFileSync(inRepository(file), 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`"${name}": its text is ${parts.length - 1} times in ${file}: ${text}`);
  return parts.join(replacement);
}

/** A pattern for the ends of the titles of tests. */
export const patternOf = (tests: readonly string[]): string => `(${tests.map(pattern).join('|')})$`;

/** Those of the tests that fail in the results. @throws Error when nothing of a file ran. */
export function failedAmong(tests: readonly string[], files: readonly FileResult[]): string[] {
  const failed: string[] = [];
  for (const { source, failures, passes } of files) {
    const own = tests.filter(test => splitTest(test)[0] === source);
    if (passes + failures.length === 0) throw new Error(`Nothing ran of ${own.join(', ')}`);
    for (const { title, message } of failures) {
      // A process that died or hung says in which test it did; one that loaded nothing is no proof.
      const text = title.startsWith('the process of ') ? message : title;
      failed.push(...own.filter(test => new RegExp(`${pattern(test)}"?$`).test(text)));
    }
  }
  return failed;
}

/** A pattern for the title of a test: one made for several cases has `${…}` in the source. */
export const pattern = (test: string): string =>
  splitTest(test)[1]
    .replaceAll(/\\(.)/g, '$1')
    .split(/\$\{.*?\}(?=[^}]|$)/)
    .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
