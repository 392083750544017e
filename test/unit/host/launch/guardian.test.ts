import assert from 'node:assert/strict';
import { processIsAlive, startScript, waitFor } from '../../../servers/spawn';
import { inRepository } from '../../../setup/paths';

describe('a host that is killed', () => {
  it('leaves none of its servers and their processes running @guardian.leaves-none-servers', async function () {
    this.timeout(60_000);
    const host = startScript(inRepository('out', 'test', 'unit', 'host', 'lonelyHost.js'));
    const pids: number[] = JSON.parse(
      await waitFor(() => host.stdout[0], { timeoutMs: 30_000, what: () => `the process ids; ${host.stderr.join()}` }),
    );
    assert.equal(pids.length, process.platform === 'linux' ? 6 : 4);
    assert.ok(pids.every(processIsAlive));
    host.child.kill('SIGKILL');
    await waitFor(() => !pids.some(processIsAlive), {
      timeoutMs: 30_000,
      what: () => `${pids.filter(processIsAlive)} to end`,
    });
  });
});
