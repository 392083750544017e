import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

/** The same offer for all that is built on the SDK's own class. */
export function makeServer() {
  const server = new McpServer({ name: 'example', version: '1.0.0' });
  register(server);
  return server;
}

export function register(server) {
  server.registerTool(
    'echo',
    { description: 'Returns the text', inputSchema: { text: z.string() } },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool('slow', { description: 'Never ends' }, () => new Promise(() => {}));
  server.registerPrompt('hello', { description: 'Says hello' }, async () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
  }));
  server.registerResource('note', 'file:///note.txt', { mimeType: 'text/plain' }, async uri => ({
    contents: [{ uri: uri.href, text: 'A note' }],
  }));
}
