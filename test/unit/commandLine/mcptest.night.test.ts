import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRepository, temporaryFolder } from '../../setup/paths';

describe('mcptest.js with a folder of files', () => {
  it('runs each of 5,000, and refuses more than 10,000', function () {
    this.timeout(120_000);
    const folder = temporaryFolder();
    const tests = [{ name: 'one', steps: [{ list: 'tools' }] }];
    const text = JSON.stringify({ server: 'nobody', tests });
    const fill = (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        const below = join(folder, 'many', `${Math.floor(n / 100)}`);
        mkdirSync(below, { recursive: true });
        writeFileSync(join(below, `${n}.mcptest.json`), text);
      }
    };
    const run = () =>
      spawnSync(process.execPath, [inRepository('dist/mcptest.js'), 'many'], { cwd: folder, encoding: 'utf8' });
    fill(0, 5_000);
    const many = run();
    assert.equal(many.status, 1);
    assert.equal(many.stdout.match(/There is no server named "nobody"/g)?.length, 5_000);
    fill(5_000, 10_001);
    const more = run();
    assert.deepEqual([more.status, more.stdout], [2, '']);
    assert.match(more.stderr, /There are more than 10000 test files below many\. Name a folder with fewer\./);
  });
});
