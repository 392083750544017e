import { createTool } from '@mastra/core/tools';
import { MCPServer } from '@mastra/mcp';
import { z } from 'zod';

const echo = createTool({
  id: 'echo',
  description: 'Returns the text',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }) => text,
});
const slow = createTool({
  id: 'slow',
  description: 'Never ends',
  inputSchema: z.object({}),
  execute: () => new Promise(() => {}),
});
await new MCPServer({ id: 'example', name: 'example', version: '1.0.0', tools: { echo, slow } }).startStdio();
