import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveDefinitions } from '../../src/host';
import type { HostPorts } from '../../src/host/definition';
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

const [definition] = resolveDefinitions([
  {
    source: { scope: 'user' },
    value: { own: { command: 'node' } },
    variables: { workspaceFolders: {}, userHome: tmpdir(), env: () => undefined, config: () => undefined },
  },
]).definitions;

/** A server, and the ports, that a program is run for. */
export const itsServer = {
  definition: definition!,
  ports: { ...noRoots, sandbox: freely.sandbox, shellPath: async (): Promise<string | undefined> => undefined },
};
