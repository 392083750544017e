// The reference: the SDK's client and transport as they are, legacy mode, bundled and cached like ours.
import { enableCompileCache } from 'node:module';

const started = performance.now();
const [bundle = '', cache = '', server = ''] = process.argv.slice(2);
enableCompileCache(cache);
const { Client, StdioClientTransport } = require(bundle) as typeof import('./sdk');

async function main(): Promise<void> {
  const client = new Client({ name: 'bench', version: '0' }, { capabilities: { roots: {} } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server, 'stdio'], stderr: 'ignore' }),
  );
  await client.listTools();
  console.log(performance.now() - started);
  await client.close();
}

void main();
