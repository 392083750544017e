// From nothing to ready servers with their tools listed, through the host bundle as the extension loads it.
//   node ours.js <bundle> <cache> <server> <how many> [remembered]
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { freely } from '../../setup/freely';

const started = performance.now();
const [bundle = '', cache = '', server = '', count = '1', remembered] = process.argv.slice(2);
enableCompileCache(cache);
const { McpHost, resolveDefinitions } = require(bundle) as typeof import('../../../src/host');

const host = new McpHost(
  { name: 'bench', version: '0' },
  {
    log: { log: () => {} },
    roots: { list: () => [], onDidChange: () => ({ dispose: () => {} }) },
    memory: {
      read: async key => (remembered && key.startsWith('era/') ? verdict() : undefined),
      write: async () => {},
    },
    shellPath: async () => undefined,
    ...freely,
  },
);
host.onDidChangeServer(({ server: { state } }) => {
  if (state.kind === 'failed') throw state.error;
  if (!host.servers.every(({ catalog }) => catalog.list('tools').status === 'ready')) return;
  console.log(performance.now() - started);
  void host.dispose();
});
const variables = { workspaceFolders: {}, userHome: homedir(), env: () => undefined, config: () => undefined };
const entry = { command: process.execPath, args: [server, 'stdio'] };
const value = Object.fromEntries(Array.from({ length: Number(count) }, (_, i) => [`server ${i}`, entry]));
host.reconcile(resolveDefinitions([{ source: { scope: 'user' }, value, variables }]).definitions);

/** What is kept of an earlier negotiation. */
function verdict(): object {
  return { era: 'legacy', sse: false, at: Date.now() };
}
