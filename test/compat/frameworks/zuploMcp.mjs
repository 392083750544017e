import { serve } from '@hono/node-server';
import { MCPServer } from '@zuplo/mcp/server';
import { ZodValidator } from '@zuplo/mcp/tools/zod';
import { HTTPStreamableTransport } from '@zuplo/mcp/transport/httpstreamable';
import { z } from 'zod';

const server = new MCPServer({ name: 'example', version: '1.0.0' });
server.addTool({
  name: 'echo',
  description: 'Returns the text',
  validator: new ZodValidator(z.object({ text: z.string() })),
  handler: async ({ text }) => ({ content: [{ type: 'text', text }], isError: false }),
});
server.addTool({
  name: 'slow',
  description: 'Never ends',
  validator: new ZodValidator(z.object({})),
  handler: () => new Promise(() => {}),
});
const transport = new HTTPStreamableTransport();
await transport.connect();
server.withTransport(transport);
const fetch = request => transport.handleRequest(request);
serve({ fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
