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

/** A cell that names tests, those of one file together. @param tests `file: title`, or `conformance: scenario`. */
export function testCell(tests: readonly string[]): string {
  const byFile = Map.groupBy(tests.map(splitTest), ([file]) => file);
  return [...byFile]
    .map(([file, all]) =>
      file === 'conformance'
        ? `conformance: ${all.map(([, scenario]) => `\`${scenario}\``).join(', ')}`
        : `\`${file.replace(/^test\//, '')}\`: ${all.map(([, title]) => `"${title}"`).join(', ')}`,
    )
    .join('<br>');
}

/** File and title of a test, or `conformance` and a scenario. */
export function splitTest(test: string): [file: string, title: string] {
  const at = test.indexOf(': ');
  return [test.slice(0, at), test.slice(at + 2)];
}

/** The tests that do not exist under exactly this title. Scenarios of the conformance suite are left out. */
export const missingTests = (tests: readonly string[]): string[] =>
  tests.filter(test => {
    const [file, title] = splitTest(test);
    return file !== 'conformance' && !titlesOf(file).has(title);
  });

/** As they stand in the source: with `${…}` where a title is made for several cases. */
function titlesOf(file: string): Set<string> {
  if (!/^test\/.*\.test\.ts$/.test(file) || !fs.existsSync(inRepository(file))) return new Set();
  const source = fs.readFileSync(inRepository(file), 'utf8');
  return new Set([...source.matchAll(/\b(?:it|holds)\(\s*(['"`])(.*?)\1/g)].map(([, , title = '']) => title));
}
