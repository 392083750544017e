import { endTree, spawnGroup } from '../../../../src/host/launch/processGroup';
import { waitFor } from '../../../servers/spawn';

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
