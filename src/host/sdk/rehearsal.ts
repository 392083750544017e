import type { Transport } from '@modelcontextprotocol/client';
import { LEGACY_REVISIONS } from '../settings/schema';
import { HostClient } from './hostClient';

const nobody = { name: '', version: '' };
let isRehearsed = false;

/**
 * Connects a client to a stand-in for a server of the legacy era. The SDK builds and compiles its schemas with the first message of
 * each kind, which takes more than ten milliseconds: called while a program boots, this has it done before the program answers.
 */
export async function rehearse(): Promise<void> {
  if (isRehearsed) return;
  isRehearsed = true;
  const standIn: Transport = {
    start: async () => {},
    close: async () => standIn.onclose?.(),
    send: async message => {
      if (!('method' in message && 'id' in message)) return;
      const result =
        message.method === 'initialize'
          ? { protocolVersion: LEGACY_REVISIONS[0], capabilities: { tools: {} }, serverInfo: nobody }
          : { tools: [] };
      standIn.onmessage?.({ jsonrpc: '2.0', id: message.id, result });
    },
  };
  const client = new HostClient(nobody);
  await client.connect(standIn, { prior: { kind: 'legacy' } });
  await client.listTools();
  await client.close();
}
