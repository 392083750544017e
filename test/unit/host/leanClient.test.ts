import assert from 'node:assert/strict';
import { Client, InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { LeanClient } from '../../../src/host/leanClient';

const text = { type: 'text', text: 'hello' };
/** What servers may answer to `tools/call`, good and bad. */
const results: unknown[] = [
  { content: [text] },
  { content: [text, text], isError: true },
  { content: [] },
  {},
  { content: null },
  { content: 'hello' },
  { content: [{ type: 'text' }] },
  { content: [{ type: 'text', text: 1 }] },
  { content: [null] },
  { content: [text], isError: 'yes' },
  { content: [{ ...text, annotations: { priority: 1 }, extra: 1 }] },
  { content: [{ ...text, annotations: { priority: 'high' } }] },
  { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
  { content: [{ type: 'image', data: 'not base64!', mimeType: 'image/png' }] },
  { content: [{ type: 'resource', resource: { uri: 'a://b', text: 'c' } }] },
  { content: [{ type: 'resource_link', uri: 'a://b', name: 'c' }] },
  { content: [{ type: 'unheard of' }] },
  { content: [text], structuredContent: { a: 1 } },
  { content: [text], _meta: { a: 1 }, more: true },
  JSON.parse('{"content":[{"type":"text","text":"x","__proto__":{"a":1}}]}'),
];

/** What the client makes of each result. */
async function outcomes(client: Client): Promise<unknown[]> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  theirs.onmessage = message => {
    if (!('method' in message) || !('id' in message)) return;
    const result =
      message.method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }
        : results[Number((message.params as { name: string }).name)];
    void theirs.send({ jsonrpc: '2.0', id: message.id, result } as JSONRPCMessage);
  };
  await theirs.start();
  await client.connect(ours);
  const seen: unknown[] = [];
  for (const index of results.keys()) {
    seen.push(
      await client.callTool({ name: String(index), arguments: {} }).catch(error => ({ failed: error.code as string })),
    );
  }
  await client.close();
  return seen;
}

describe('LeanClient', () => {
  it("takes and refuses the same tool results as the SDK's client, and makes the same of them", async () => {
    const info = { name: 'test', version: '0' };
    const expected = await outcomes(new Client(info));
    assert.ok(expected.some(outcome => (outcome as { failed?: string }).failed));
    assert.deepEqual(await outcomes(new LeanClient(info)), expected);
  });
});
