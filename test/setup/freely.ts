import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostPorts } from '../../src/host/definition';
// Nothing of the host beside it: in a benchmark, the host is what ships.
import { LaunchGate, NO_CHECK } from '../../src/host/definition/launchGate';
import { inRepository } from './paths';

/** For hosts of tests: whatever is configured may be launched, and nothing is confined whose entry does not ask for it. */
export const freely: Pick<HostPorts, 'launch' | 'sandbox'> = {
  launch: new LaunchGate(
    {
      organization: NO_CHECK,
      trust: NO_CHECK,
      consent: NO_CHECK,
      inputs: NO_CHECK,
      scripts: NO_CHECK,
      last: NO_CHECK,
    },
    path => readFile(path, 'utf8'),
  ),
  sandbox: {
    setting: () => 'off',
    isDemanded: () => false,
    inheritsAll: () => false,
    isWatched: () => false,
    runsFreeOnce: () => false,
    granted: () => ({}),
    limits: () => undefined,
    askHost: async () => false,
    watch: () => () => {},
    storage: join(tmpdir(), `mcp-host-sandboxes-${process.pid}`),
    bridge: inRepository('out', 'servers', 'sandboxBridge.js'),
  },
};
