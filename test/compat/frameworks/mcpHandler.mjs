import { serve } from '@hono/node-server';
import { createMcpHandler } from 'mcp-handler';
import { z } from 'zod';

const handler = createMcpHandler(server => {
  server.registerTool(
    'echo',
    { description: 'Returns the text', inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  server.registerTool('slow', { description: 'Never ends' }, () => new Promise(() => {}));
  server.registerPrompt('hello', { description: 'Says hello' }, async () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
  }));
  server.registerResource('note', 'file:///note.txt', { mimeType: 'text/plain' }, async uri => ({
    contents: [{ uri: uri.href, text: 'A note' }],
  }));
});
serve({ fetch: handler, port: Number(process.env.PORT), hostname: '127.0.0.1' });
