import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { notHere } from '../../compat/notUnderWine';
import { inRepository } from '../../setup/paths';

describe('tests skipped under Wine', () => {
  it('exist under these names', () => {
    const source = (file: string) => fs.readFileSync(inRepository('test/unit', file.replace(/js$/, 'ts')), 'utf8');
    const gone = notHere.filter(({ file, title = '' }) => !source(file).replaceAll("\\'", "'").includes(title));
    assert.deepEqual(gone, []);
  });
});
