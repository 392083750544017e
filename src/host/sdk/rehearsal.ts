import { LATEST_PROTOCOL_VERSION, type Transport } from '@modelcontextprotocol/client';
import { HostClient } from './hostClient';

const nobody = { name: '', version: '' };

/**
 * Connects a client to a stand-in for a server of the legacy era. The SDK builds its schemas and compiles them with the first
 * message of each kind, which takes as long as ten answers: it has that done when this is called while a program boots.
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
          ? { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: { tools: {} }, serverInfo: nobody }
          : { tools: [] };
      standIn.onmessage?.({ jsonrpc: '2.0', id: message.id, result });
    },
  };
  const client = new HostClient(nobody);
  await client.connect(standIn, { prior: { kind: 'legacy' } });
  await client.listTools();
  await client.close();
}

let isRehearsed = false;
