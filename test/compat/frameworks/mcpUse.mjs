import { MCPServer } from 'mcp-use';
import { z } from 'zod';

const server = new MCPServer({ name: 'example', version: '1.0.0' });
server.tool(
  { name: 'echo', description: 'Returns the text', inputSchema: z.object({ text: z.string() }) },
  async ({ text }) => ({ content: [{ type: 'text', text }] }),
);
server.tool({ name: 'slow', description: 'Never ends' }, () => new Promise(() => {}));
await server.listen(Number(process.env.PORT));
