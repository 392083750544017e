// Connections of our host bundle, all of one host.

import { freely } from '../../setup/freely';
import { inRepository } from '../../setup/paths';
import { grow } from './grow';

const [server = '', idleMs = '0'] = process.argv.slice(2);
const { McpHost, resolveDefinitions } = require(inRepository('dist/host.js')) as typeof import('../../../src/host');

const host = new McpHost(
  { name: 'bench', version: '0' },
  {
    log: { log: () => {} },
    roots: { list: () => [], onDidChange: () => ({ dispose: () => {} }) },
    memory: { read: async () => undefined, write: async () => {} },
    shellPath: async () => undefined,
    readFile: async () => '',
    ...freely,
  },
);
const variables = { workspaceFolders: {}, userHome: '/', env: () => undefined, config: () => undefined };
const value: Record<string, object> = {};

function open(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    value[`server ${Object.keys(value).length}`] = { command: process.execPath, args: [server] };
  }
  return new Promise(resolve => {
    const listener = host.onDidChangeServer(({ server: { state } }) => {
      if (state.kind === 'failed') throw state.error;
      if (!host.servers.every(({ catalog }) => catalog.list('tools').status === 'ready')) return;
      listener.dispose();
      resolve();
    });
    host.reconcile(resolveDefinitions([{ source: { scope: 'user' }, value, variables }]).definitions);
  });
}

void grow(open, Number(idleMs))
  .then(() => host.dispose())
  .then(() => process.exit());
