import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { inRepository } from '../setup/paths';

/** A row of the table of threats: what it says, and the tests that it names, as `file`: "name". */
interface Threat {
  row: string;
  tests: { file: string; name: string }[];
}

const threats = readFileSync(inRepository('SECURITY.md'), 'utf8')
  .split('\n')
  .filter(line => /^\| (?!Threat|---)/.test(line))
  .map((row): Threat => {
    const named = [...row.matchAll(/`(test\/[\w/.-]+)`: ((?:"[^"]+"(?:, )?)+)/g)];
    const tests = named.flatMap(([, file = '', names = '']) =>
      [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ file, name })),
    );
    return { row, tests };
  });

describe('SECURITY.md', () => {
  it('names a test for every threat', () => {
    assert.ok(threats.length >= 20, `${threats.length} threats`);
    for (const { row, tests } of threats) assert.ok(tests.length > 0, row);
  });

  it('has each threat once', () => {
    const says = threats.map(({ row }) => row.split('|', 2)[1]);
    assert.deepEqual(
      says.filter((one, i) => says.indexOf(one) !== i),
      [],
    );
  });

  it('names only tests that exist', () => {
    for (const { file, name } of threats.flatMap(({ tests }) => tests)) {
      assert.ok(existsSync(inRepository(file)), file);
      const text = readFileSync(inRepository(file), 'utf8');
      assert.ok(text.includes(name), `${file} has no test "${name}"`);
    }
  });
});
