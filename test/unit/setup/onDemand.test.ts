import * as assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { packageFolders, readLock } from '../../setup/onDemand';
import { inRepository } from '../../setup/paths';

interface Package {
  dependencies?: object;
  integrity?: string;
  /** Comes with another, and is of its hash. */
  inBundle?: boolean;
  resolved?: string;
}

describe('the packages of benchmarks', () => {
  for (const folder of packageFolders)
    it(`are locked as test/bench/${folder}/package.json asks, by hash and to no registry`, () => {
      const manifest = JSON.parse(readFileSync(inRepository('test/bench', folder, 'package.json'), 'utf8')) as Package;
      const { '': root, ...packages } = (JSON.parse(readLock(folder)) as { packages: Record<string, Package> })
        .packages;
      assert.deepEqual(root?.dependencies, manifest.dependencies);
      for (const [place, { integrity = '', inBundle, resolved }] of Object.entries(packages)) {
        assert.ok(inBundle || integrity.startsWith('sha512-'), place);
        assert.equal(resolved, undefined, place);
      }
    });
});
