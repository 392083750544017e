import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { apiSample, writeSample } from '../setup/apiSample';
import { inRepository, temporaryFolder } from '../setup/paths';

describe('the types of the extension API', () => {
  it('depend on the editor only, and the documented sample compiles with them', async function () {
    this.timeout(120_000);
    assert.ok(apiSample().split('\n').length <= 36);
    const folder = temporaryFolder();
    const file = writeSample(path.join(folder, 'sample'));
    const options = '--strict --noEmit --module node16 --target es2022 --types vscode --typeRoots'.split(' ');
    const args = [
      inRepository('node_modules/typescript/bin/tsc'),
      ...options,
      inRepository('node_modules/@types'),
      file,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    assert.equal(stdout, '');
  });

  it('name every error code once', () => {
    const types = readFileSync(inRepository('docs/api/index.d.ts'), 'utf8');
    const [, union = ''] = /export type McpHostErrorCode =([^;]*);/.exec(types) ?? [];
    const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code);
    assert.ok(codes.length > 10);
    assert.deepEqual(codes, [...new Set(codes)]);
  });
});
