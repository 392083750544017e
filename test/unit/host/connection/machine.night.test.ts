import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inRepository } from '../../../setup/paths';

describe('a machine', () => {
  it('that is out of file descriptors starts no server, with the reason, keeps those that run, and starts it later @machine.file-descriptors-starts', async function () {
    if (process.platform === 'win32') this.skip(); // it has no such limit
    const program = inRepository('out/test/unit/host/connection/outOfFiles.js');
    const limited = ['-c', 'ulimit -n 128 && exec "$@"', 'sh', process.execPath, program];
    const { stdout } = await promisify(execFile)('sh', limited, { timeout: 60_000 });
    const { error, ...states } = JSON.parse(stdout);
    assert.match(error, /"late" could not start: .*EMFILE/);
    assert.deepEqual(states, { running: 'ready', late: 'ready' });
  });
});
