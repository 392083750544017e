import assert from 'node:assert/strict';
import { win32 } from 'node:path';
import { settlePaths } from '../../../../src/host/definition/definition';
import { parseServers } from '../../../../src/host/settings';

describe('the paths of an entry on Windows', () => {
  const rules = { platform: 'win32', path: win32 } as const;
  const settled = (value: object, base: string, saysCwd = false) => {
    const entry = parseServers({ one: value }).servers[0]?.entry;
    assert.equal(entry?.type, 'stdio');
    const { command, cwd, envFile } = settlePaths(entry!, { base, saysCwd }, undefined, rules) as typeof entry & object;
    return { command, cwd, envFile };
  };

  it('start at the folder of its settings, on a drive or a share, with either separator', () => {
    const entry = { command: './bin/run', cwd: 'sub', envFile: '.env' };
    assert.deepEqual(settled(entry, 'C:\\Users\\me'), {
      command: 'C:\\Users\\me\\bin\\run',
      cwd: 'C:\\Users\\me\\sub',
      envFile: 'C:\\Users\\me\\.env',
    });
    assert.deepEqual(settled(entry, '\\\\server\\share\\work', true), {
      command: '\\\\server\\share\\work\\sub\\bin\\run',
      cwd: '\\\\server\\share\\work\\sub',
      envFile: '\\\\server\\share\\work\\.env',
    });
    assert.equal(settled({ command: '..\\run.cmd' }, 'C:\\work\\app').command, 'C:\\work\\run.cmd');
  });

  it('stay where they are absolute, also long ones', () => {
    const long = `\\\\?\\C:\\${'folder\\'.repeat(60)}run.exe`;
    for (const command of ['D:\\tools\\run.exe', '\\\\server\\tools\\run.exe', long, 'npx'])
      assert.equal(settled({ command }, 'C:\\work').command, command);
  });
});
