import { createServer, stdio, text, tool } from '@sylphx/mcp-server-sdk';
import { object, str } from '@sylphx/vex';

const echo = tool()
  .description('Returns the text')
  .input(object({ text: str() }))
  .handler(({ input }) => text(input.text));
const slow = tool()
  .description('Never ends')
  .handler(() => new Promise(() => {}));
const server = createServer({
  name: 'example',
  version: '1.0.0',
  tools: { echo, slow },
  transport: stdio(),
});
await server.start();
