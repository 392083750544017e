import assert from 'node:assert/strict';
import { ecosystemOf, isContainerEngine, languageOf } from '../../../../src/host/launch/knownPrograms';

describe('the table of programs', () => {
  it('names the language of an interpreter, whatever its folder, extension and version', () => {
    for (const command of ['node', 'C:\\Program Files\\nodejs\\node.exe', '/usr/bin/nodejs', 'node22'])
      assert.equal(languageOf(command), 'node', command);
    for (const command of ['python', 'python3.13', '/opt/bin/python3', 'py', 'pypy3'])
      assert.equal(languageOf(command), 'python', command);
    for (const command of ['tsx', 'npx', 'uv', 'node-server', 'pytest', ''])
      assert.equal(languageOf(command), undefined);
  });

  it('distinguishes container engines from other fetching programs', () => {
    for (const command of ['docker', '/usr/bin/podman', 'Nerdctl.exe']) assert.ok(isContainerEngine(command), command);
    for (const command of ['docker-compose', 'npx', 'kubectl', '']) assert.ok(!isContainerEngine(command), command);
  });

  it('knows where runners fetch from', () => {
    assert.deepEqual((['npx', 'vlx', 'uv run', 'podman run'] as const).map(ecosystemOf), [
      'npm',
      'npm',
      'pypi',
      'image',
    ]);
  });
});
