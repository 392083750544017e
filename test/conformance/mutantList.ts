// Mutants: small faults in sources, each of which breaks what sentences of the specification ask for. `mutants.json` has them by
// source and name, as the text that is replaced and its replacement; the rows of `sentences/` name those that must fail their tests.
import { readFileSync } from 'node:fs';
import { inRepository } from '../setup/paths';
import { readJson } from '../setup/provedTables';
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

/** Whether a test can run with a mutant: those of an editor or a browser cannot. */
export const canRun = (test: string): boolean => /^(test\/unit\/|conformance: )/.test(test);

/** The source with the fault. @throws Error unless the text is found exactly once. */
export function mutatedSource({ name, file, text, replacement }: Mutant): string {
  const parts = readFileSync(inRepository(file), 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`"${name}": its text is ${parts.length - 1} times in ${file}: ${text}`);
  return parts.join(replacement);
}
