// The reference: the SDK's client and transport as they are, legacy mode, bundled and cached like ours.
import { enableCompileCache } from 'node:module';

const started = performance.now();
const [bundle = '', cache = '', server = '', count = '1'] = process.argv.slice(2);
enableCompileCache(cache);
const { Client, StdioClientTransport } = require(bundle) as typeof import('./sdk');

async function connect() {
  const client = new Client({ name: 'bench', version: '0' }, { capabilities: { roots: {} } });
  // The whole environment, as we give it: one with a compile cache in it makes the server start sooner.
  const env = process.env as Record<string, string>;
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server, 'stdio'], stderr: 'ignore', env }),
  );
  await client.listTools();
  return client;
}

async function main(): Promise<void> {
  const clients = await Promise.all(Array.from({ length: Number(count) }, connect));
  console.log(performance.now() - started);
  await Promise.all(clients.map(client => client.close()));
}

void main();
