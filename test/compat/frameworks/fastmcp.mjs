import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'example', version: '1.0.0' });
server.addTool({
  name: 'echo',
  description: 'Returns the text',
  parameters: z.object({ text: z.string(), headers: z.record(z.string(), z.string()).optional() }),
  execute: async ({ text }) => text,
});
server.addTool({
  name: 'slow',
  description: 'Never ends',
  parameters: z.object({}),
  execute: () => new Promise(() => {}),
});
server.addTool({
  name: 'stream',
  description: 'Sends the text before its result, which is empty',
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }, { streamContent }) => {
    await streamContent({ type: 'text', text });
  },
});
server.addPrompt({ name: 'hello', description: 'Says hello', load: async () => 'Hello' });
server.addResource({
  uri: 'file:///note.txt',
  name: 'note',
  mimeType: 'text/plain',
  load: async () => ({ text: 'A note' }),
});
await server.start({ transportType: 'stdio' });
