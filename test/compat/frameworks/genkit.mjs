import { createMcpServer } from '@genkit-ai/mcp';
import { genkit, z } from 'genkit/beta';

const ai = genkit({});
ai.defineTool(
  { name: 'echo', description: 'Returns the text', inputSchema: z.object({ text: z.string() }) },
  async ({ text }) => text,
);
ai.defineTool({ name: 'slow', description: 'Never ends', inputSchema: z.object({}) }, () => new Promise(() => {}));
ai.definePrompt({ name: 'hello', messages: [{ role: 'user', content: [{ text: 'Hello' }] }] });
ai.defineResource({ name: 'note', uri: 'file:///note.txt' }, async () => ({ content: [{ text: 'A note' }] }));
await createMcpServer(ai, { name: 'example', version: '1.0.0' }).start();
