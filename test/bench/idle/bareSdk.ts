// The reference: the SDK's client and transport as they are, with stderr drained, as every host must.
import type { Readable } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { grow } from './grow';

const [server = '', idleMs = '0'] = process.argv.slice(2);

async function open(): Promise<void> {
  const client = new Client({ name: 'bench', version: '0' }, { capabilities: { roots: {} } });
  const transport = new StdioClientTransport({ command: process.execPath, args: [server], stderr: 'pipe' });
  await client.connect(transport);
  (transport.stderr as Readable | null)?.resume();
  await client.listTools();
}

void grow(count => Promise.all(Array.from({ length: count }, open)), Number(idleMs)).then(() => process.exit());
