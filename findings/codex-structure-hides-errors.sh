#!/bin/sh
# Codex (`@openai/codex` 0.171.0): what its model gets of a valid MCP result that failed, with a text and structured content.
# Seen: the structured content alone. The text that says what went wrong is not passed on, and neither is `isError`.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @openai/codex@0.171.0 >/dev/null

cat >server.mjs <<'JS'
import { createInterface } from 'node:readline';
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'save', description: 'Saves', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({
    content: [{ type: 'text', text: 'The disk is full.' }],
    structuredContent: { code: 28 },
    isError: true,
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
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
let told;
// A model that calls the tool once.
const model = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { input = [], tools = [] } = JSON.parse(body || '{}');
  told = input.find(({ type }) => type === 'function_call_output')?.output ?? told;
  const group = tools.find(({ type, tools: inner }) => type === 'namespace' && inner?.some(({ name }) => name === 'save'));
  const item =
    told === undefined
      ? { type: 'function_call', id: 'f', call_id: 'c', name: 'save', namespace: group?.name, arguments: '{}', status: 'completed' }
      : { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done', annotations: [] }] };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r', usage, output: [item] } },
  ])
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}).listen(0, '127.0.0.1');
await new Promise(resolve => model.once('listening', resolve));
mkdirSync('home');
writeFileSync(
  'home/config.toml',
  `model = "m"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "http://127.0.0.1:${model.address().port}/v1"
env_key = "A_KEY"
wire_api = "responses"
[mcp_servers.s]
command = "${process.execPath}"
args = ["${process.cwd()}/server.mjs"]
`,
);
const args = ['node_modules/@openai/codex/bin/codex.js', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'Save.'];
const env = { ...process.env, CODEX_HOME: `${process.cwd()}/home`, A_KEY: 'x' };
const codex = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'ignore'] });
await new Promise(resolve => codex.once('exit', resolve));
const text = typeof told === 'string' ? told : JSON.stringify(told);
console.log(`@openai/codex 0.171.0: of a failed result the model gets ${text}`);
process.exit(text?.includes('28') && !text.includes('disk') && !/error/i.test(text) ? 0 : 1);
JS
node run.mjs
