// Tables whose rows name the tests that prove them: kept as JSON by area, made into a page by `npm run generate`.
import * as fs from 'node:fs';
import { inRepository } from '../setup/paths';

export const readJson = <T>(file: string): T => JSON.parse(fs.readFileSync(inRepository(file), 'utf8')) as T;

/** The rows of each area, with its title. @param areas titles by the name of the file in `folder`. */
export const readAreas = <Row>(folder: string, areas: Record<string, string>): [title: string, rows: Row[]][] =>
  Object.entries(areas).map(([name, title]) => [title, readJson<Row[]>(`${folder}/${name}.json`)]);

/** A table in markdown. Cells are plain markdown; line breaks in them are `<br>`. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** A cell that names tests, those of one file together. @param tests see `Proof`. */
export function testCell(tests: readonly Proof[]): string {
  const byFile = Map.groupBy(tests.map(testOf), ({ file }) => file);
  return [...byFile]
    .map(([file, all]) =>
      [SCENARIO, LINT].includes(file)
        ? `${file}: ${all.map(({ title }) => `\`${title}\``).join(', ')}`
        : `\`${file.replace(/^test\//, '')}\`: ${all.map(({ title }) => `"${title}"`).join(', ')}`,
    )
    .join('<br>');
}

/**
 * The id of a test, which stands at the end of its title as `@id`; or `conformance: ` and the name of a scenario; or `lint: ` and the
 * id of a rule for sources (test/lint/keptTo.mjs).
 */
export type Proof = string;

export const SCENARIO = 'conformance';
export const LINT = 'lint';

interface Test {
  /** Below the repository, or `conformance` or `lint`. */
  file: string;
  /** Without the id, with `${…}` where it is made for several cases; or the name of a scenario or rule. */
  title: string;
}

/** @throws Error when no test has the id. */
export function testOf(proof: Proof): Test {
  const [, other, name] = /^(conformance|lint): (.*)$/.exec(proof) ?? [];
  if (other && name) return { file: other, title: name };
  const test = tests().get(proof);
  if (!test) throw new Error(`no title of a test ends with @${proof}`);
  return test;
}

/** A pattern for the titles of these tests, and no others. */
export const patternOf = (proofs: readonly Proof[]): string =>
  ` @(${proofs.map(id => id.replaceAll('.', '\\.')).join('|')})$`;

let known: Map<string, Test> | undefined;

/** The tests with an id. @throws Error when two files have one id. */
export function tests(): ReadonlyMap<string, Test> {
  if (known) return known;
  known = new Map();
  const files = fs.readdirSync(inRepository('test'), { recursive: true, encoding: 'utf8' });
  for (const file of files
    .filter(name => name.endsWith('.test.ts'))
    .map(name => `test/${name.replaceAll('\\', '/')}`)) {
    const source = fs.readFileSync(inRepository(file), 'utf8');
    for (const [, , title = '', id = ''] of source.matchAll(/\b(?:it|holds)\(\s*(['"`])(.*?) @([\w.-]+)\1/g)) {
      const other = known.get(id);
      if (other && other.file !== file) throw new Error(`${file} and ${other.file} have tests with the id ${id}`);
      known.set(id, { file, title });
    }
  }
  return known;
}
