import { mkdirSync, writeFileSync } from 'node:fs';
import { MCPServer } from 'mcp-framework';

// It finds tools, prompts and resources as files in folders.
const files = {
  'tools/EchoTool.js': `import { MCPTool } from 'mcp-framework';
import { z } from 'zod';
export default class EchoTool extends MCPTool {
  name = 'echo';
  description = 'Returns the text';
  schema = z.object({ text: z.string().describe('Any text') });
  async execute({ text }) { return text; }
}`,
  'tools/SlowTool.js': `import { MCPTool } from 'mcp-framework';
import { z } from 'zod';
export default class SlowTool extends MCPTool {
  name = 'slow';
  description = 'Never ends';
  schema = z.object({});
  execute() { return new Promise(() => {}); }
}`,
  'prompts/HelloPrompt.js': `import { MCPPrompt } from 'mcp-framework';
import { z } from 'zod';
export default class HelloPrompt extends MCPPrompt {
  name = 'hello';
  description = 'Says hello';
  schema = {};
  async generateMessages() { return [{ role: 'user', content: { type: 'text', text: 'Hello' } }]; }
}`,
  'resources/NoteResource.js': `import { MCPResource } from 'mcp-framework';
export default class NoteResource extends MCPResource {
  uri = 'file:///note.txt';
  name = 'note';
  async read() { return [{ uri: this.uri, mimeType: 'text/plain', text: 'A note' }]; }
}`,
};
for (const [file, text] of Object.entries(files)) {
  mkdirSync(`dist/${file.split('/')[0]}`, { recursive: true });
  writeFileSync(`dist/${file}`, text);
}
await new MCPServer({ name: 'example', version: '1.0.0', basePath: `${process.cwd()}/dist` }).start();
