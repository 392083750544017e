// A host of the bundle that ships, without an editor.
import type { LogPort, WatchSession } from '../../src/host/definition';
import { freely } from '../setup/freely';
import { inRepository } from '../setup/paths';

/** @returns the host, and what gives it a value of `mcpHost.servers`. @param log default: nothing is logged. */
export function bareHost(log: LogPort = { log: () => {} }, watch?: WatchSession) {
  const { McpHost, resolveDefinitions } = require(inRepository('dist/host.js')) as typeof import('../../src/host');
  const host = new McpHost(
    { name: 'bench', version: '0' },
    {
      log,
      roots: { list: () => [], onDidChange: () => ({ dispose: () => {} }) },
      memory: { read: async () => undefined, write: async () => {} },
      shellPath: async () => undefined,
      ...freely,
      ...(watch && { watch }),
    },
  );
  const variables = { workspaceFolders: {}, userHome: '/', env: () => undefined, config: () => undefined };
  const configure = (value: Readonly<Record<string, object>>) =>
    host.reconcile(resolveDefinitions([{ source: { scope: 'user' }, value, variables }]).definitions);
  return { host, configure };
}
