// A whole MCP server, without packages: one tool, over stdio.
const { createInterface } = require('node:readline');

const tool = {
  name: 'greet',
  description: 'Greets somebody.',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'greeter', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: { name } }) => ({ content: [{ type: 'text', text: `Hello ${name}` }] }),
};

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = methods[method]
    ? { result: methods[method](params ?? {}) }
    : { error: { code: -32601, message: `There is no method ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
