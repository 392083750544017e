import { tmpdir } from 'node:os';
import { resolveDefinitions } from '../../src/host';
import type { HostPorts, ProgramPorts } from '../../src/host/definition';
import { freely } from './freely';

/** For programs that see no folders. */
export const noRoots: Pick<HostPorts, 'roots'> = {
  roots: { list: () => [], onDidChange: () => ({ dispose: () => {} }) },
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
};

/** A server, and the ports, that a program is run for. */
export const itsServer = { definition: definition!, ports: programPorts };
