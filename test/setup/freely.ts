import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostPorts } from '../../src/host';
import { inRepository } from './paths';

/** For programs that see no folders. */
export const noRoots: Pick<HostPorts, 'roots'> = {
  roots: { list: () => [], onDidChange: () => ({ dispose: () => {} }) },
};

/** For hosts of tests: whatever is configured may be launched, and nothing is confined whose entry does not ask for it. */
export const freely: Pick<HostPorts, 'launch' | 'sandbox'> = {
  launch: { admit: async ({ entry }) => ({ entry: entry! }) },
  sandbox: {
    setting: () => 'off',
    inheritsAll: () => false,
    storage: join(tmpdir(), `mcp-host-sandboxes-${process.pid}`),
    bridge: inRepository('out', 'servers', 'sandboxBridge.js'),
  },
};
