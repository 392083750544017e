import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { McpServer, StreamableHttpTransport } from 'mcp-lite';
import { z } from 'zod';

const mcp = new McpServer({
  name: 'example',
  version: '1.0.0',
  schemaAdapter: schema => z.toJSONSchema(schema),
});
mcp.tool('echo', {
  description: 'Returns the text',
  inputSchema: z.object({ text: z.string() }),
  handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
});
mcp.tool('slow', { description: 'Never ends', handler: () => new Promise(() => {}) });
mcp.prompt('hello', {
  description: 'Says hello',
  handler: () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] }),
});
mcp.resource('file:///note.txt', { name: 'note', mimeType: 'text/plain' }, async uri => ({
  contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'A note' }],
}));
const handle = new StreamableHttpTransport().bind(mcp);
const app = new Hono();
app.all('/mcp', context => handle(context.req.raw));
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
