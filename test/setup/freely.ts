import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveDefinitions } from '../../src/host';
import { type HostPorts, LaunchGate, NO_CHECK, type ProgramPorts } from '../../src/host/definition';
import { inRepository } from './paths';

/** For programs that see no folders. */
export const noRoots: Pick<HostPorts, 'roots'> = {
  roots: { list: () => [], onDidChange: () => ({ dispose: () => {} }) },
};

/** For hosts of tests: whatever is configured may be launched, and nothing is confined whose entry does not ask for it. */
export const freely: Pick<HostPorts, 'launch' | 'sandbox'> = {
  launch: new LaunchGate({
    organization: NO_CHECK,
    trust: NO_CHECK,
    consent: NO_CHECK,
    inputs: NO_CHECK,
    scripts: NO_CHECK,
    last: NO_CHECK,
  }),
  sandbox: {
    setting: () => 'off',
    isDemanded: () => false,
    inheritsAll: () => false,
    isWatched: () => false,
    runsFreeOnce: () => false,
    granted: () => ({}),
    askHost: async () => false,
    watch: () => () => {},
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

/** For hosts and programs of tests: no folders, variables or files. */
export const programPorts: ProgramPorts = {
  ...freely,
  ...noRoots,
  shellPath: async () => undefined,
  readFile: async () => '',
};

/** A server, and the ports, that a program is run for. */
export const itsServer = { definition: definition!, ports: programPorts };
