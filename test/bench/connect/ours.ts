// From nothing to a ready server with its tools listed, through the host bundle as the extension loads it.
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';

const started = performance.now();
const [bundle = '', cache = '', server = ''] = process.argv.slice(2);
enableCompileCache(cache);
const { McpHost, resolveDefinitions } = require(bundle) as typeof import('../../../src/host');

const host = new McpHost(
  { name: 'bench', version: '0' },
  {
    log: { log: () => {} },
    roots: { list: () => [], onDidChange: () => ({ dispose: () => {} }) },
    memory: { read: async () => undefined, write: async () => {} },
    shellPath: async () => undefined,
    readFile: async () => '',
  },
);
host.onDidChangeServer(({ server: { state, catalog } }) => {
  if (state.kind === 'failed') throw state.error;
  if (catalog.list('tools').status !== 'ready') return;
  console.log(performance.now() - started);
  void host.dispose();
});
const variables = { workspaceFolders: {}, userHome: homedir(), env: () => undefined, config: () => undefined };
const value = { server: { command: process.execPath, args: [server, 'stdio'] } };
host.reconcile(resolveDefinitions([{ source: { scope: 'user' }, value, variables }]).definitions);
