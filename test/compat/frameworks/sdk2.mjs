import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'example', version: '1.0.0' });
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
  return server;
});
