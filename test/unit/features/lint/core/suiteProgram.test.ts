import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { english } from '../../../../../src/base/phrase';
import { missingForSuite } from '../../../../../src/features/lint/core/conformance';
import type { ServerDefinition } from '../../../../../src/host/definition';
import { programPorts } from '../../../../setup/itsServer';
import { temporaryFolder } from '../../../../setup/paths';

describe('what the conformance suite needs', () => {
  let bin: string;
  beforeEach(() => {
    bin = temporaryFolder();
  });

  const program = async (name: string, prints: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\necho '${prints}'\n`);
    await chmod(join(bin, name), 0o755);
  };
  const missing = async () => {
    const entry = { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} };
    const definition = { entry, secrets: [], place: { clearOf: [] } } as unknown as ServerDefinition;
    const found = await missingForSuite(definition, { ...programPorts, shellPath: async () => bin });
    return found && english(found);
  };

  it('is npx, and a Node that is not too old', async function () {
    if (process.platform === 'win32') this.skip(); // its programs are no shell scripts
    assert.equal(await missing(), 'npx was not found');
    await program('npx', '');
    assert.equal(await missing(), undefined, 'whatever runs it');
    for (const [version, isEnough] of [
      ['v18.20.4', false],
      ['v20.17.0', false],
      ['v20.18.1', true],
      ['v26.0.0', true],
      ['unknown', true],
    ] as const) {
      await program('node', version);
      assert.equal(await missing(), isEnough ? undefined : `${join(bin, 'node')} is Node ${version}`);
    }
  });
});
