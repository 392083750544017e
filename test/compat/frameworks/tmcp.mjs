import { ValibotJsonSchemaAdapter } from '@tmcp/adapter-valibot';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { prompt, resource, tool } from 'tmcp/utils';
import * as v from 'valibot';

const server = new McpServer(
  { name: 'example', version: '1.0.0', description: 'An example' },
  {
    adapter: new ValibotJsonSchemaAdapter(),
    capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } },
  },
);
server.tool(
  { name: 'echo', description: 'Returns the text', schema: v.object({ text: v.string() }) },
  async ({ text }) => tool.text(text),
);
server.tool({ name: 'slow', description: 'Never ends' }, () => new Promise(() => {}));
server.prompt({ name: 'hello', description: 'Says hello' }, async () => prompt.message('Hello'));
server.resource({ name: 'note', description: 'A note', uri: 'file:///note.txt' }, async uri =>
  resource.text(uri, 'A note', 'text/plain'),
);
new StdioTransport(server).listen();
