// The least that the editor's own client can be answered with over HTTP: `echo`, and `large`, a text of `bytes`. Prints its URL.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Asked {
  id?: number;
  method: string;
  params: { name: string; protocolVersion: string; arguments: { bytes?: number } };
}

const tools = ['echo', 'large'].map(name => ({
  name,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
}));

function resultOf({ method, params }: Asked): object {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bare', version: '1' } };
  }
  if (method === 'tools/list') return { tools };
  return { content: [{ type: 'text', text: 'x'.repeat(params.arguments.bytes ?? 1) }] };
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const asked = JSON.parse(await text(request)) as Asked;
  if (asked.id === undefined) return response.writeHead(202).end();
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: resultOf(asked) }));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
