import assert from 'node:assert/strict';
import { endTree, spawnGroup } from '../../../../src/host/launch/processGroup';
import { processIsAlive, startScript, waitFor } from '../../../servers/spawn';
import { inRepository } from '../../../setup/paths';

describe('the end of a tree of processes on Windows', () => {
  it('ends at least the leader when taskkill is missing or fails', async () => {
    for (const tool of ['/no/such/taskkill', process.execPath]) {
      const leader = spawnGroup({
        command: process.execPath,
        args: ['-e', 'process.stdin.resume(); console.log("up")'],
        env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
        cwd: process.cwd(),
      });
      await new Promise(resolve => leader.stdout?.once('data', resolve));
      endTree(leader.pid!, tool);
      await waitFor(() => leader.signalCode === 'SIGKILL' || leader.exitCode !== null, { what: `the end by ${tool}` });
    }
  });
});

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
